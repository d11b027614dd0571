//go:build unix

package runner

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func readUsage() usage {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return usage{}
	}
	u := usage{user: time.Duration(ru.Utime.Nano()), sys: time.Duration(ru.Stime.Nano()), maxRSS: int64(ru.Maxrss)}
	if runtime.GOOS != "darwin" { // which counts in bytes
		u.maxRSS *= 1024
	}
	if peak := peakMemory(); peak > 0 {
		u.maxRSS = peak
	}
	return u
}

// peakMemory reads Linux's VmHWM; unlike ru_maxrss it starts anew at exec, so
// that a large parent does not count. 0 where there is no such file.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	if !ok {
		return 0
	}
	kb, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kb * 1024
}
