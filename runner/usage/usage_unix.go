//go:build unix

package usage

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Read takes a sample.
func Read() Sample {
	s := Sample{At: time.Now()}
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return s
	}
	s.User, s.System, s.Peak = time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano()), int64(ru.Maxrss)
	if runtime.GOOS != "darwin" { // which counts in bytes
		s.Peak *= 1024
	}
	if peak := peakMemory(); peak > 0 {
		s.Peak = peak
	}
	return s
}

// peakMemory reads Linux's VmHWM. Unlike ru_maxrss it can be reset, and starts
// at zero with exec, so that a large parent does not count. 0 where there is no
// such file.
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

// ResetPeak lets Sample.Peak begin at the memory that is resident now, where the
// kernel can do that (proc(5), clear_refs).
func ResetPeak() {
	const peakOnly = "5"
	if f, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString(peakOnly)
		_ = f.Close()
	}
}
