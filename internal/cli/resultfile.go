package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qbench/report"
	"qbench/runner"
)

// resultFile is replaced as a whole: it is written under another name beside
// it and then renamed, so that a reader never sees half of it and an earlier
// result stays until there is a new one.
type resultFile struct {
	path    string
	special bool // a device or a pipe, which is written to as it is
	tmp     *os.File
}

// open makes the file aside.
func (r *resultFile) open() error {
	if real, err := filepath.EvalSymlinks(r.path); err == nil {
		r.path = real
	}
	if info, err := os.Stat(r.path); err == nil && info.IsDir() {
		return fmt.Errorf("the result file %s is a folder: name a file in it", r.path)
	} else if err == nil {
		// A file that may not be written shall not be replaced either.
		f, err := os.OpenFile(r.path, os.O_WRONLY, 0)
		if err != nil {
			return explainFile(err)
		}
		if r.special = !info.Mode().IsRegular(); r.special {
			r.tmp = f
			return nil
		}
		_ = f.Close()
	}
	tmp, err := os.CreateTemp(filepath.Dir(r.path), "."+filepath.Base(r.path)+".*")
	if err != nil {
		return explainFile(err)
	}
	r.tmp = tmp
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
func (r *resultFile) write(f *runner.File) error {
	return r.fill(func(w io.Writer) error { return report.JSON(w, f, report.Options{}) })
}

// fill replaces the file by what render writes.
func (r *resultFile) fill(render func(io.Writer) error) error {
	if r.tmp == nil { // a further time
		if err := r.open(); err != nil {
			return err
		}
	}
	tmp := r.tmp
	err := render(tmp)
	if !r.special {
		err = errors.Join(err, tmp.Chmod(0o644))
	}
	err = errors.Join(err, tmp.Close())
	r.tmp = nil
	if r.special {
		return err
	}
	if err == nil {
		err = os.Rename(tmp.Name(), r.path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fmt.Errorf("write the result file %s: %w", r.path, err)
	}
	return nil
}

func (r *resultFile) discard() {
	if r.tmp != nil {
		_ = r.tmp.Close()
		if r.special {
			return
		}
		_ = os.Remove(r.tmp.Name())
		r.tmp = nil
	}
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
	probe := resultFile{path: filepath.Join(r.dir, "result.json")}
	if err := probe.open(); err != nil {
		return err
	}
	probe.discard()
	return nil
}

// write keeps a result; called again, it replaces that by one with more runs.
func (r *resultFolder) write(f *runner.File) error {
	if r.file == nil {
		path, err := r.reserve()
		if err != nil {
			return err
		}
		r.file = &resultFile{path: path}
	}
	return r.file.write(f)
}

// maxTitle bounds the names of files well below what file systems take.
const maxTitle = 100

// reserve takes a name that no other file has: two invocations may start in
// the same second.
func (r *resultFolder) reserve() (string, error) {
	title := strings.Map(func(c rune) rune {
		if strings.ContainsRune("+-_.", c) || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, r.title)
	title = title[:min(len(title), maxTitle)]
	for n := 1; ; n++ {
		name := r.start.UTC().Format("20060102T150405Z") + "-" + title
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		path := filepath.Join(r.dir, name+".json")
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", explainFile(err)
		}
		return path, f.Close()
	}
}
