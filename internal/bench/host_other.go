//go:build !linux && !darwin

package bench

// hostCPU and hostMemory are unknown on systems that qbench has no call for.
func hostCPU() string { return "" }

func hostMemory() int64 { return 0 }
