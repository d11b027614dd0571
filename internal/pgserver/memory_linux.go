package pgserver

import (
	"os"
	"strconv"
	"strings"
)

// memoryBytes is how much this process and its children may use: the machine's memory or the control group's limit,
// whichever is less; 0 when neither can be read. In a container the limit is mounted at the top of the hierarchy.
func memoryBytes() int64 {
	memory := meminfoTotal()
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		// Version 2 writes "max" where there is no limit, version 1 a number above any machine's memory.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (memory == 0 || n < memory) {
			memory = n
		}
	}
	return memory
}

func meminfoTotal() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			kb, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
