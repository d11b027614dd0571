package resultfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"qbench/internal/result"
)

// Read reads a result file or, for a folder, all those in it in the order of
// their names. What else has such a name in a folder is left out, and ignored
// says why; a folder with nothing else is an error.
func Read(name string) (files []*result.File, ignored []error, err error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		f, err := readFile(name)
		if err != nil {
			return nil, nil, err
		}
		return []*result.File{f}, nil, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, nil, fmt.Errorf("read the folder %s: %w", name, Reason(err))
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		path := filepath.Join(name, e.Name())
		// To open a pipe would wait for who writes to it.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			ignored = append(ignored, fmt.Errorf("%s is not a file", path))
		} else if f, err := readFile(path); err != nil {
			ignored = append(ignored, err)
		} else {
			files = append(files, f)
		}
	}
	switch {
	case len(files) > 0:
		return files, ignored, nil
	case len(ignored) > 0:
		return nil, nil, fmt.Errorf("the folder %s holds no result files that can be read: %w", name, ignored[0])
	}
	return nil, nil, fmt.Errorf("the folder %s holds no result files (*.json): write some with qbench run -o %s", name, name)
}

func readFile(path string) (*result.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no result file %s: write one with qbench run --json %s", path, path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the result file %s: %w", path, Reason(err))
	}
	defer func() { _ = f.Close() }()
	file, err := result.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, Reason(err))
	}
	return file, nil
}
