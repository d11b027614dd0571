package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Closed tells whether a standard stream was closed when the process
// began. Go's runtime then opened /dev/null for reading and writing in its
// place, which a shell's >/dev/null does not.
//
// A parent may have opened it that way as well: /dev/null that stands for
// several streams at once was put there on purpose.
func Closed(f *os.File) bool {
	fd := int(f.Fd())
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	return flags&unix.O_ACCMODE == unix.O_RDWR && isNull(fd) && !sharedStream(fd, flags)
}

func isNull(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && st.Rdev == unix.Mkdev(1, 3)
}

// sharedStream tells whether another standard stream is the same open file: a
// flag that is set on one of them then shows on the other.
func sharedStream(fd, flags int) bool {
	flagsOf := func(fd int) int {
		n, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		return n
	}
	var before [3]int
	for other := range before {
		before[other] = flagsOf(other)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags^unix.O_APPEND); err != nil {
		return false
	}
	defer func() { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags) }()
	for other := range before {
		if other != fd && flagsOf(other) != before[other] {
			return true
		}
	}
	return false
}
