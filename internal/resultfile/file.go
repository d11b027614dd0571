package resultfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"qbench/internal/result"
	"qbench/report"
)

// File is a file that is replaced as a whole, so that a reader never sees half of
// it and an earlier result stays until there is a new one.
type File struct {
	path    string
	special bool
}

// New is the file of that name. Nothing happens to it before Write or Fill.
func New(path string) *File { return &File{path: path} }

// Special tells, after Check, a device or a pipe, which is written to as it is,
// and should be once.
func (r *File) Special() bool { return r.special }

// Check finds out, before anything is measured, what could keep the file from
// being written. It leaves nothing behind and changes nothing.
func (r *File) Check() error {
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

// Write replaces the file by a result.
func (r *File) Write(f *result.File) error {
	return r.Fill(func(w io.Writer) error { return report.JSON(w, f, report.Options{}) })
}

// Fill replaces the file by what render writes.
func (r *File) Fill(render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return err
	}
	if err := replaceFile(r.path, b.Bytes()); err != nil {
		return fmt.Errorf("write the result file %s: %w", r.path, Reason(err))
	}
	return nil
}

// Reason is the error without the name of a file that is only there in passing.
func Reason(err error) error {
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
