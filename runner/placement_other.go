//go:build !linux

package runner

// Elsewhere than on Linux the scheduler decides who runs where.

func (r *run) place([]*need) {}
func (l *eventLoop) settle() {}
