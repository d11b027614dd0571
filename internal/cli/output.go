package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"qbench/report"
	"qbench/runner"
)

// output is where a command's results go.
type output struct {
	format  string // "" is the command's choice
	json    *resultFile
	noColor bool
	stdout  io.Writer // of the report
	jsonOut io.Writer // of --json -; nil otherwise
}

// readOutput reads the flags of reportFlags. Nothing is written before open.
func (a *app) readOutput(v *values) *output {
	o := &output{format: v.text("format"), noColor: v.c.Bool("no-color"), stdout: a.stdout}
	if o.format != "" {
		if _, err := report.Lookup(o.format); err != nil {
			v.fail("--format: %w", err)
		}
	}
	switch path := v.text("json"); {
	case path == "-":
		o.stdout, o.jsonOut = a.stderr, a.stdout
	case path != "":
		o.json = &resultFile{path: path}
	case v.given("json"):
		v.fail("--json needs the name of a file, or - for standard output")
	}
	return o
}

// open finds out now what could keep the results from being written later.
func (o *output) open() error {
	if o.json == nil {
		return nil
	}
	return o.json.open()
}

// close removes what was made for results that never came.
func (o *output) close() {
	if o.json != nil {
		o.json.discard()
	}
}

// save writes the result file; it may be called again with more runs in it.
func (o *output) save(f *runner.File) error {
	if o.json == nil {
		return nil
	}
	return o.json.write(f)
}

// print writes the report, with the format that is the default.
func (o *output) print(f *runner.File, format string) error {
	if o.format != "" {
		format = o.format
	}
	render, err := report.Lookup(format)
	if err != nil {
		return err
	}
	if err := render(o.stdout, f, reportOptions(o.stdout, o.noColor)); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if o.jsonOut != nil {
		return report.JSON(o.jsonOut, f, report.Options{})
	}
	return nil
}

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

// write replaces the file.
func (r *resultFile) write(f *runner.File) error {
	if r.tmp == nil { // a further time
		if err := r.open(); err != nil {
			return err
		}
	}
	tmp := r.tmp
	err := report.JSON(tmp, f, report.Options{})
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
