package resultfile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// newAside makes a file without a name in the folder of path, so that nothing
// is left of it when the process is killed. Not all file systems can do that.
func newAside(path string) (*aside, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return newNamed(path)
	}
	f := os.NewFile(uintptr(fd), path)
	if _, err := os.Stat(inProc(f)); err != nil {
		_ = f.Close()
		return newNamed(path)
	}
	return &aside{f, ""}, nil
}

// link gives it a name that no other file has.
func (a *aside) link(path string) error {
	if a.temporary != "" {
		return os.Link(a.temporary, path)
	}
	// linkat with AT_EMPTY_PATH needs a capability; this does not.
	err := unix.Linkat(unix.AT_FDCWD, inProc(a.File), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", New: path, Err: err}
	}
	return nil
}

func inProc(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
