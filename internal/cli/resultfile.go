package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qbench/internal/result"
	"qbench/report"
)

// resultFile is replaced as a whole, so that a reader never sees half of it and
// an earlier result stays until there is a new one.
type resultFile struct {
	path    string
	special bool // a device or a pipe, which is written to as it is, and once
}

// check finds out, before anything is measured, what could keep the file from
// being written. It leaves nothing behind and changes nothing.
func (r *resultFile) check() error {
	if info, err := os.Stat(r.path); err == nil {
		r.special = !info.Mode().IsRegular()
		switch {
		case info.IsDir():
			return fmt.Errorf("the result file %s is a folder: name a file in it", r.path)
		case info.Mode()&fs.ModeNamedPipe != 0:
			return nil // opened for writing, it would wait for a reader
		}
		// A file that may not be written shall not be replaced either.
		if err := mayWrite(r.path); err != nil {
			return explainFile(err)
		}
		if r.special {
			return nil
		}
	}
	path, err := followLinks(r.path)
	if err != nil {
		return explainFile(err)
	}
	aside, err := newAside(path)
	if err != nil {
		return explainFile(err)
	}
	aside.discard()
	return nil
}

func explainFile(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("the result file cannot be written: %s: %w", filepath.Dir(pe.Path), pe.Err)
	}
	return fmt.Errorf("the result file cannot be written: %w", err)
}

// write replaces the file by a result.
func (r *resultFile) write(f *result.File) error {
	return r.fill(func(w io.Writer) error { return report.JSON(w, f, report.Options{}) })
}

// fill replaces the file by what render writes.
func (r *resultFile) fill(render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if err := replaceFile(r.path, b.Bytes()); err != nil {
		return fmt.Errorf("write the result file %s: %w", r.path, reason(err))
	}
	return nil
}

// reason is the error without the name of a file that is only there in passing.
func reason(err error) error {
	var pe *os.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// resultFolder is where -o keeps the results of every invocation in a file of
// its own.
type resultFolder struct {
	dir   string
	title string // what the file's name says besides the time
	start time.Time
	file  *resultFile // nil until there is a result
}

// open makes the folder, and finds out whether files can be made in it.
func (r *resultFolder) open() error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return fmt.Errorf("the folder for results cannot be made: %w", err)
	}
	aside, err := newAside(filepath.Join(r.dir, "result.json"))
	if err != nil {
		return explainFile(err)
	}
	aside.discard()
	return nil
}

// write keeps a result; called again, it replaces that by one with more runs.
func (r *resultFolder) write(f *result.File) error {
	if r.file != nil {
		return r.file.write(f)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, f, report.Options{}); err != nil {
		return err
	}
	// Two invocations may start in the same second.
	for n := 1; ; n++ {
		path := r.path(n)
		err := createFile(path, b.Bytes())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("write the result file %s: %w", path, reason(err))
		}
		r.file = &resultFile{path: path}
		return nil
	}
}

// maxTitle bounds the names of files well below what file systems take.
const maxTitle = 100

// path is the n-th name that a result of this command may have.
func (r *resultFolder) path(n int) string {
	title := strings.Map(func(c rune) rune {
		if strings.ContainsRune("+-_.", c) || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, r.title)
	name := r.start.UTC().Format("20060102T150405Z") + "-" + title[:min(len(title), maxTitle)]
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return filepath.Join(r.dir, name+".json")
}
