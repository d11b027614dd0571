package pgserver

import "golang.org/x/sys/unix"

// memoryBytes is the machine's memory; 0 when it can't be read.
func memoryBytes() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
