package resultfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// aside is a file without its final name until it is complete.
type aside struct {
	*os.File
	temporary string // its name; "" where it has none
}

func (a *aside) discard() {
	_ = a.Close()
	if a.temporary != "" {
		_ = os.Remove(a.temporary)
	}
}

// newNamed makes an aside with a name, which a process that is killed leaves
// behind.
func newNamed(path string) (*aside, error) {
	for n := 0; ; n++ {
		name := temporaryName(path, n)
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &aside{f, name}, nil
	}
}

func temporaryName(path string, n int) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d", filepath.Base(path), os.Getpid(), n))
}

// writeAside makes an aside with the data in it.
func writeAside(path string, data []byte) (*aside, error) {
	a, err := newAside(path)
	if err != nil {
		return nil, err
	}
	// A disk may be found full only when the data go there.
	_, err = a.Write(data)
	if err = errors.Join(err, a.Sync()); err != nil {
		a.discard()
		return nil, err
	}
	return a, nil
}

// createFile makes a file that is not there yet; it appears with all of its
// data, or not at all.
func createFile(path string, data []byte) error {
	a, err := writeAside(path, data)
	if err != nil {
		return err
	}
	defer a.discard()
	return a.link(path)
}

// replaceFile gives a file new data, all at once; its mode and owner stay. What
// is no regular file is written to as it is, and so is a file that cannot be
// replaced without a change of its owner, or because it is mounted by itself,
// as containers do it.
func replaceFile(path string, data []byte) error {
	old, err := os.Stat(path)
	switch {
	case err != nil:
		old = nil
	case !old.Mode().IsRegular():
		return overwrite(path, data, 0)
	default:
		if err := mayWrite(path); err != nil {
			return err
		}
	}
	if path, err = followLinks(path); err != nil {
		return err
	}
	a, err := writeAside(path, data)
	if err != nil {
		if old != nil && errors.Is(err, fs.ErrPermission) {
			return overwrite(path, data, os.O_TRUNC)
		}
		return err
	}
	defer a.discard()
	if old != nil && a.adopt(old) != nil {
		return overwrite(path, data, os.O_TRUNC)
	}
	err = a.replace(path)
	if err != nil && old != nil && errors.Is(err, errBusy) {
		return overwrite(path, data, os.O_TRUNC)
	}
	return err
}

// mayWrite tells whether a file may be written, without a change to it.
func mayWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// overwrite writes to what is there.
func overwrite(path string, data []byte, truncate int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|truncate, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// replace puts a in place of the file of that name.
func (a *aside) replace(path string) error {
	if a.temporary == "" {
		for n := 0; a.temporary == ""; n++ {
			name := temporaryName(path, n)
			err := a.link(name)
			if err == nil {
				a.temporary = name
			} else if !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	if err := a.Close(); err != nil {
		return err
	}
	if err := os.Rename(a.temporary, path); err != nil {
		return err
	}
	a.temporary = ""
	return nil
}

// followLinks is the file that a name stands for, whether it is there or not.
func followLinks(path string) (string, error) {
	const most = 40 // as Linux has it
	for range most {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}
