//go:build !linux

package runner

// Elsewhere than on Linux the scheduler decides who runs where.

type (
	exchange struct{}
	watch    struct{}
)

func (r *run) place([]*need)            {}
func (t *thread) settle()               {}
func (t *thread) startWatching()        {}
func (t *thread) look()                 {}
func (t *thread) handOver(*client) bool { return false }
func (t *thread) leave() bool           { return true }
