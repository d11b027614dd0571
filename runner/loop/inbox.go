package loop

import (
	"sync"
	"sync/atomic"
)

// Inbox passes functions from other goroutines to the one that runs an event
// loop. After Put the loop has to be woken; it calls Run after each Wait. The
// zero value is empty.
type Inbox struct {
	mu     sync.Mutex
	fns    []func()
	closed bool
	some   atomic.Bool // spares the lock when there is nothing
}

// Put leaves a function for the loop; false after Close, and fn never runs.
func (b *Inbox) Put(fn func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.fns = append(b.fns, fn)
	b.some.Store(true)
	return true
}

// Run runs what was put.
func (b *Inbox) Run() {
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

// Close takes nothing more in and runs what there is.
func (b *Inbox) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.Run()
}
