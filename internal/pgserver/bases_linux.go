package pgserver

import (
	"os"

	"golang.org/x/sys/unix"
)

// temporaryBases are the folders to try for the server's own, best first. $TMPDIR is the user's decision. Without it, a
// /tmp that is kept in memory comes last: there a flush to disk costs nothing, and a durable queue would look faster than it is.
func temporaryBases() []string {
	var bases []string
	if dir := os.Getenv("TMPDIR"); dir != "" {
		bases = append(bases, dir)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs("/tmp", &fs); err == nil && fs.Type == unix.TMPFS_MAGIC {
		return append(bases, "/var/tmp", "/tmp")
	}
	return append(bases, "/tmp", "/var/tmp")
}
