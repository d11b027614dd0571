package resultfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qbench/internal/result"
	"qbench/report"
)

// Folder keeps the results of every command in a file of its own.
type Folder struct {
	Dir   string
	Title string // what the file's name says besides the time
	Start time.Time

	file *File // nil until there is a result
}

// Path is the file that was written, "" before.
func (r *Folder) Path() string {
	if r.file == nil {
		return ""
	}
	return r.file.path
}

// Open makes the folder, and finds out whether files can be made in it.
func (r *Folder) Open() error {
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return fmt.Errorf("the folder for results cannot be made: %w", err)
	}
	aside, err := newAside(filepath.Join(r.Dir, "result.json"))
	if err != nil {
		return explainFile(err)
	}
	aside.discard()
	return nil
}

// Write keeps a result; called again, it replaces that by one with more runs.
func (r *Folder) Write(f *result.File) error {
	if r.file != nil {
		return r.file.Write(f)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, f, report.Options{}); err != nil {
		return err
	}
	// Two invocations may start in the same second.
	for n := 1; ; n++ {
		path := r.numbered(n)
		err := createFile(path, b.Bytes())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("write the result file %s: %w", path, Reason(err))
		}
		r.file = &File{path: path}
		return nil
	}
}

// maxTitle bounds the names of files well below what file systems take.
const maxTitle = 100

// numbered is the n-th name that a result of this command may have.
func (r *Folder) numbered(n int) string {
	title := strings.Map(func(c rune) rune {
		if strings.ContainsRune("+-_.", c) || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return c
		}
		return '_'
	}, r.Title)
	name := r.Start.UTC().Format("20060102T150405Z") + "-" + title[:min(len(title), maxTitle)]
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return filepath.Join(r.Dir, name+".json")
}
