//go:build linux || darwin

package pgserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	folderPrefix = "qbench-"
	ownerFile    = "owner" // locked by the process that owns the folder, as long as it lives
	keptFile     = "kept"  // there when the server is to outlive its owner
	socketFile   = ".s.PGSQL." + socketPort
	// maxSocketPath is what sockaddr_un holds without its closing zero: 108 bytes on Linux, 104 on macOS. The smaller
	// one serves both.
	maxSocketPath = 103
)

// folder is a server's place on disk.
type folder struct {
	path  string
	owner *os.File
}

// newFolder makes a folder in the first base that the account can use: writable, reachable, short enough for a socket.
func newFolder(bases []string, a account) (*folder, error) {
	var problems []error
	for _, base := range bases {
		f, err := newFolderIn(base, a)
		if err == nil {
			return f, nil
		}
		problems = append(problems, err)
	}
	return nil, fmt.Errorf("no temporary folder for the server: %w; name another one in $TMPDIR", errors.Join(problems...))
}

func newFolderIn(base string, a account) (_ *folder, err error) {
	base, err = filepath.EvalSymlinks(base)
	if err != nil {
		return nil, err
	}
	if !a.reaches(base) {
		return nil, fmt.Errorf("%s: user %s, which the server has to run as, may not enter it", base, a.name)
	}
	// The folder takes its final name only once its owner holds the lock, so that a sweep never meets one that merely
	// looks deserted.
	hidden, err := os.MkdirTemp(base, "."+folderPrefix)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(base, strings.TrimPrefix(filepath.Base(hidden), "."))
	if n := len(filepath.Join(path, socketFile)); n > maxSocketPath {
		return nil, errors.Join(fmt.Errorf("%s: a socket's path there would be %d bytes long, and %d is the limit", base, n, maxSocketPath), os.Remove(hidden))
	}
	owner, err := lockOwner(filepath.Join(hidden, ownerFile), os.O_CREATE)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(hidden))
	}
	if err := os.Rename(hidden, path); err != nil {
		return nil, errors.Join(err, owner.Close(), os.RemoveAll(hidden))
	}
	f := &folder{path: path, owner: owner}
	if a.switched {
		if err := os.Chown(path, a.uid, a.gid); err != nil {
			return nil, errors.Join(err, f.remove())
		}
	}
	return f, nil
}

// remove deletes the folder; its lock is given up last, so that no sweep interferes.
func (f *folder) remove() error { return errors.Join(os.RemoveAll(f.path), f.owner.Close()) }

// lockOwner opens a folder's owner file and locks it, without waiting. A lock rather than a process id: ids are used
// again, and mean nothing in another container that shares the temporary folder.
func lockOwner(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file, nil
}

// sweep removes the folders in base whose owners are gone. It is a courtesy of the next start: what can't be
// removed, another user's above all, is left for somebody else's sweep.
func sweep(base string) {
	left, _ := filepath.Glob(filepath.Join(base, folderPrefix+"*"))
	for _, path := range left {
		owner, err := lockOwner(filepath.Join(path, ownerFile), 0)
		if err != nil {
			continue
		}
		if !keptAlive(path) {
			_ = os.RemoveAll(path)
		}
		_ = owner.Close()
	}
}

// keptAlive says whether a folder belongs to a server that was to be kept and still listens.
func keptAlive(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, keptFile)); err != nil {
		return false
	}
	conn, err := net.Dial("unix", filepath.Join(path, socketFile))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
