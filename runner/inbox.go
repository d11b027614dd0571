package runner

import (
	"sync"
	"sync/atomic"
)

// inbox passes functions to a loop from other goroutines.
type inbox struct {
	mu     sync.Mutex
	fns    []func()
	closed bool        // the loop has ended
	some   atomic.Bool // spares the lock when there is nothing
}

// put leaves a function for the loop; false where the loop has ended and
// will not run it.
func (b *inbox) put(fn func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.fns = append(b.fns, fn)
	b.some.Store(true)
	return true
}

// run runs what was put.
func (b *inbox) run() {
	if !b.some.Load() {
		return
	}
	b.mu.Lock()
	fns := b.fns
	b.fns = nil
	b.some.Store(false)
	b.mu.Unlock()
	for _, fn := range fns {
		fn()
	}
}

// close takes nothing more in and runs what there is.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.run()
}
