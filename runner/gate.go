package runner

import (
	"sync/atomic"
	"time"
)

// gate lets all event loops start at the same moment. Were one of them to start
// first, the server processes that it wakes would be moved to the core that
// the others have not taken yet, and would stay there (see place).
type gate struct {
	missing atomic.Int32
	open    atomic.Bool
	opened  chan struct{}
}

func (g *gate) expect(n int) {
	g.missing.Store(int32(n))
	g.opened = make(chan struct{})
}

// pass waits for the others; the last one's arrival is GO.
func (t *thread) pass() {
	r := t.run
	g := &r.gate
	if g.missing.Add(-1) == 0 {
		r.base = time.Now()
		g.open.Store(true)
		close(g.opened)
		return
	}
	if t.core < 0 {
		<-g.opened
		return
	}
	for !g.open.Load() { // keeps the core, which sleeping would give away
	}
}
