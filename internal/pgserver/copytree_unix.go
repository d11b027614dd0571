//go:build linux || darwin

package pgserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// targetError is what went wrong where a copy was to go, and so says nothing about its source.
type targetError struct{ err error }

func (e *targetError) Error() string { return e.err.Error() }
func (e *targetError) Unwrap() error { return e.err }

func atTarget(err error) error {
	if err == nil {
		return nil
	}
	return &targetError{err}
}

// copyTree copies a folder of files and folders, gives the copy to the account when that is another user, and returns a
// checksum (CRC-32C) over all names and contents. dst must be in a folder that the account can't enter yet: until
// then it can't bend a path below root's hands.
//
// The source may be under another user's control, who can swap a file for a link at any time. So it is read through a handle
// that no link leads out of, and each file has to be the owner's own: no file of root's gets into the copy.
func copyTree(src *os.Root, owner int, dst string, a account) (uint32, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	err := fs.WalkDir(src.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dst, name)
		size := int64(-1)
		switch {
		case entry.IsDir():
			err = atTarget(os.Mkdir(target, 0o700))
		case entry.Type().IsRegular():
			size, err = copyFile(src, name, owner, target, sum)
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", name)
		}
		if err != nil {
			return err
		}
		if a.switched {
			if err := os.Lchown(target, a.uid, a.gid); err != nil {
				return atTarget(err)
			}
		}
		// The length closes the contents, so that a byte can't move from one file's end to the next one's name unseen.
		sum.Write(binary.BigEndian.AppendUint64([]byte(name), uint64(size)))
		return nil
	})
	return sum.Sum32(), err
}

func copyFile(src *os.Root, name string, owner int, dst string, also io.Writer) (int64, error) {
	in, err := openOwned(src, name, owner)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, atTarget(err)
	}
	n, err := io.Copy(io.MultiWriter(targetWriter{out}, also), in)
	return n, errors.Join(err, atTarget(out.Close()))
}

type targetWriter struct{ w io.Writer }

func (t targetWriter) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	return n, atTarget(err)
}

// openOwned opens a regular file of a user; not waiting, in case a pipe has taken its place.
func openOwned(root *os.Root, name string, owner int) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || !belongs(info, owner)) {
		err = fmt.Errorf("%s is not a regular file of the user with id %d", name, owner)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func readFile(root *os.Root, name string, owner int) ([]byte, error) {
	file, err := openOwned(root, name, owner)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
