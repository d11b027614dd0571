package bench

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// hostCPU is the processor's name, "" where the kernel does not tell (as on
// most ARM machines).
func hostCPU() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// hostMemory is the physical memory in bytes, 0 if unknown.
func hostMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
