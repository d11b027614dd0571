//go:build !linux

package runner

// place and settle are Linux's alone; elsewhere the scheduler decides.
func (r *run) place([]*need) {}

func (t *thread) settle() {}
