//go:build linux || darwin

package pgserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// What is in a server's folder. All of it belongs to the user that this process runs as, except serverDir: that is
// the account's, and for root the account is another user. So root opens nothing below serverDir by a path, and
// the account can't put a link in the way of what root opens.
const (
	folderPrefix = "qbench-"
	ownerFile    = "owner"  // says whose folder this is; locked by the process that owns it, as long as it lives
	keptFile     = "kept"   // there when the folder is to outlive its owner; no sweep removes it
	logFile      = "log"    // what the server writes to standard output and standard error
	serverDir    = "server" // the account's part: the data and the socket
	dataDir      = "data"
	socketFile   = ".s.PGSQL." + socketPort
	// maxSocketPath is what sockaddr_un holds without its closing zero: 108 bytes on Linux, 104 on macOS. The smaller
	// one serves both.
	maxSocketPath = 103
)

// folder is a place on disk that is the server's alone.
type folder struct {
	path    string
	owner   *os.File
	account account
}

// newFolder makes a folder in the first base that is usable.
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
	// Absolute, because the server runs in another folder than this process.
	if base, err = filepath.Abs(base); err != nil {
		return nil, err
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, err
	}
	if a.switched {
		if !a.reaches(base) {
			return nil, fmt.Errorf("%s: user %s, which the server has to run as, may not enter it", base, a.name)
		}
		if err := rootsOwn(base); err != nil {
			return nil, err
		}
	}
	// The folder takes its final name only once its owner holds the lock, so that a sweep never meets one that merely
	// looks deserted.
	hidden, err := os.MkdirTemp(base, "."+folderPrefix)
	if err != nil {
		return nil, err
	}
	f := &folder{path: hidden, account: a}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove())
		}
	}()
	name := strings.TrimPrefix(filepath.Base(hidden), ".")
	if f.owner, err = createOwner(filepath.Join(hidden, ownerFile), name); err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(hidden, serverDir), 0o700); err != nil {
		return nil, err
	}
	if a.switched {
		// The account passes through to its own part, and does nothing else here.
		if err := errors.Join(os.Lchown(hidden, -1, a.gid), os.Chmod(hidden, 0o710)); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(base, name)
	if err := os.Rename(hidden, path); err != nil {
		return nil, err
	}
	f.path = path
	return f, nil
}

// part is the path of something in the account's part of the folder.
func (f *folder) part(names ...string) string {
	return filepath.Join(append([]string{f.path, serverDir}, names...)...)
}

// handOver gives the account its part. From here on nothing in there is opened by a path any more.
func (f *folder) handOver() error {
	if !f.account.switched {
		return nil
	}
	return os.Lchown(f.part(), f.account.uid, f.account.gid)
}

// create makes a file in this process's part. An existing file or link of that name is an error.
func (f *folder) create(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(f.path, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
}

// keep marks the folder as one to outlive its owner.
func (f *folder) keep() error {
	file, err := f.create(keptFile)
	if err != nil {
		return err
	}
	return file.Close()
}

// remove deletes the folder. The owner's file goes after everything else and its lock is given up last: a sweep
// finishes what was begun, and interferes with nothing.
func (f *folder) remove() error {
	errs := []error{os.RemoveAll(f.part())}
	if errs[0] == nil {
		errs = append(errs, os.RemoveAll(f.path))
	}
	if f.owner != nil {
		errs = append(errs, f.owner.Close())
	}
	return errors.Join(errs...)
}

// rootsOwn fails if a user other than root can rename dir or a folder above it, and so move root's files in it.
// In a sticky folder, such as /tmp, users can rename only their own entries.
func rootsOwn(dir string) error {
	for {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != 0 {
			return fmt.Errorf("%s belongs to another user, who could move the folders that root makes there", dir)
		}
		shared := os.FileMode(0o002)
		if stat.Gid != 0 {
			shared |= 0o020
		}
		if info.Mode()&shared != 0 && info.Mode()&os.ModeSticky == 0 {
			return fmt.Errorf("%s can be written by other users, who could move the folders that root makes there", dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// fitsSocket says whether libpq can be told of a socket in dir: its kernel address is short, and libpq takes a comma for
// the end of a host's name. A line's end would break the server's own lock file.
func fitsSocket(dir string) bool {
	return len(filepath.Join(dir, socketFile)) <= maxSocketPath && !strings.ContainsAny(dir, ",\n\r")
}
