//go:build linux || darwin

package pgserver

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// shortBases are where the socket goes when the data's folder has too long a path for it.
var shortBases = []string{"/tmp", "/var/tmp"}

// leastFree is what a server that has just started needs at the least: a cluster and its first segment of WAL.
const leastFree = 64 << 20

// noSpace says whether an error, or what a program said, is a full disk or an exhausted quota.
func noSpace(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "no space left on device") || strings.Contains(text, "quota exceeded")
}

// explainFull adds to a failed start that the disk is full. The server can't always say so itself: its log is on that disk.
func (p *process) explainFull(err error) error {
	var fs unix.Statfs_t
	free := uint64(leastFree)
	if unix.Statfs(p.folder.path, &fs) == nil {
		free = fs.Bavail * uint64(fs.Bsize)
	}
	if free >= leastFree && !noSpace(err) {
		return err
	}
	return fmt.Errorf("%w; %s has %d MB left, and a server needs at least %d MB: make room, or name another folder in $TMPDIR",
		err, p.folder.path, free>>20, leastFree>>20)
}
