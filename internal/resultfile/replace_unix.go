//go:build unix

package resultfile

import (
	"io/fs"
	"syscall"
)

// errBusy is what a file says that is a mount point.
var errBusy error = syscall.EBUSY

// adopt takes over the mode and the owner of another file.
func (a *aside) adopt(old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		mine, err := a.Stat()
		if err != nil {
			return err
		}
		if now, ok := mine.Sys().(*syscall.Stat_t); ok && (now.Uid != st.Uid || now.Gid != st.Gid) {
			if err := a.Chown(int(st.Uid), int(st.Gid)); err != nil {
				return err
			}
		}
	}
	// After the owner: a change of that takes bits from the mode.
	return a.Chmod(old.Mode())
}
