package usage

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPeakForgetsWhatWasUsedBefore: memory that was returned before the reset counts no longer.
func TestPeakForgetsWhatWasUsedBefore(t *testing.T) {
	const size = 256 << 20
	useMemory(t, size)
	before := Read().Peak
	ResetPeak()
	if after := Read().Peak; before-after < size/2 {
		t.Errorf("the peak is %d bytes after the reset, and was %d with %d bytes in use", after, before, size)
	}
}

// useMemory touches memory and gives it back, without the garbage collector.
func useMemory(t *testing.T, size int) {
	t.Helper()
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < size; i += os.Getpagesize() {
		b[i] = 1
	}
	if err := unix.Munmap(b); err != nil {
		t.Fatal(err)
	}
}
