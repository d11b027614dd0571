package bench

import "golang.org/x/sys/unix"

// hostCPU is the processor's name, "" if unknown.
func hostCPU() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}

// hostMemory is the physical memory in bytes, 0 if unknown.
func hostMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
