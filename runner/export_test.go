package runner

import "qbench/runner/usage"

// SetUsage replaces what reads the process's use of processor time.
func (c *Config) SetUsage(read func() usage.Sample) { c.readUsage = read }
