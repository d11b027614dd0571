package runner

import (
	"fmt"
	"time"
)

// killed says whether the run was told to end at once.
func (r *run) killed() bool {
	select {
	case <-r.cfg.Kill:
		return true
	default:
		return false
	}
}

// halt lets no further transaction start and wakes those who wait for one.
func (r *run) halt() {
	r.stop.Store(true)
	for _, l := range r.loops {
		l.poll.Wake()
	}
}

func (r *run) acked() (n int64) {
	for _, l := range r.loops {
		n += l.acked.Load()
	}
	return n
}

func (r *run) enqueued() (n int64) {
	for _, l := range r.loops {
		n += l.enqueued.Load()
	}
	return n
}

func (r *run) message(level, text string) {
	if r.cfg.Message != nil {
		r.cfg.Message(level, text)
	}
}

// debug reports a step of a client. Callers ask for r.cfg.Debug first, so that
// the arguments cost nothing otherwise.
func (r *run) debug(format string, args ...any) {
	r.message("debug", fmt.Sprintf(format, args...))
}

// maxErrors bounds how many different reasons are kept.
const maxErrors = 20

func (r *run) noteError(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, text)
	}
}

// endFor is the moment at which a client that finishes now has ended: what is
// cut off has done nothing since its grace began.
func (r *run) endFor(now int64) int64 {
	if since := r.graceFrom.Load(); since > 0 {
		return min(now, since)
	}
	return now
}

func (l *eventLoop) readClock() { l.now = int64(time.Since(l.run.base)) }

// timeUp says that no further transaction may start.
func (l *eventLoop) timeUp() bool {
	r := l.run
	return r.stop.Load() || r.deadline > 0 && l.now >= r.deadline
}

// post runs fn on the loop; false where the loop has ended, and fn never runs.
func (l *eventLoop) post(fn func()) bool {
	if !l.box.Put(fn) {
		return false
	}
	l.poll.Wake()
	return true
}

// do runs fn on the loop and waits for it; where the loop has ended in the
// meantime, the caller runs it, or waits no longer.
func (l *eventLoop) do(fn func()) {
	done := make(chan struct{})
	l.post(func() {
		fn()
		close(done)
	})
	select {
	case <-done:
	case <-l.ended:
		l.box.Run() // what came too late for the loop itself
	}
}

// sleep lets c wait until the given moment, in nanoseconds since GO.
func (l *eventLoop) sleep(c *client, until int64) {
	if end := l.run.deadline; end > 0 && c.state == stIdle {
		until = min(until, end)
	}
	c.timer.At = until
	l.timers.Add(&c.timer)
}

func (l *eventLoop) unsleep(c *client) {
	l.timers.Remove(&c.timer)
}

// yield lets c go on once the others on the loop have had their turn.
func (l *eventLoop) yield(c *client) { l.ready = append(l.ready, c) }
