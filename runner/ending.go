package runner

import (
	"context"
	"fmt"
	"time"
)

// ending watches for clients that do not come to an end. It belongs to the
// observer's goroutine.
type ending struct {
	run       *run
	stopped   int64 // when the run was told to stop; 0 is not yet
	cancelled int64 // when the statements of the stuck clients were cancelled
}

const (
	endingCheck = 200 * time.Millisecond
	// cancelWait is how long a cancelled statement may take to say so.
	cancelWait = time.Second
)

// check is called now and then, and ends the clients whose grace is over: first
// their statements are cancelled, which lets most of them end by themselves.
func (e *ending) check() {
	r := e.run
	now := int64(time.Since(r.base))
	if e.cancelled > 0 {
		if now-e.cancelled > int64(cancelWait) {
			r.quit.Store(true)
			r.halt()
		}
		return
	}
	if e.stopped == 0 && r.stop.Load() {
		e.stopped = now
	}
	since := e.graceSince(now)
	if since < 0 || now-since < int64(r.cfg.Grace) {
		return
	}
	e.cancelled = now
	r.graceFrom.Store(max(1, since))
	r.overdue.Store(true)
	for _, l := range r.loops {
		l.do(l.cancelStuck)
	}
	r.halt()
}

// graceSince is when the grace period began; negative is not yet.
func (e *ending) graceSince(now int64) int64 {
	r := e.run
	since := int64(-1)
	if e.stopped > 0 {
		since = e.stopped
	}
	if r.deadline > 0 && now >= r.deadline && (since < 0 || r.deadline < since) {
		since = r.deadline
	}
	if since >= 0 || r.deadline > 0 {
		return since
	}
	// A number of transactions: how long they take is unknown, but where
	// others have finished and none of the rest hears anything, it is stuck.
	finished, heard := int64(0), int64(0)
	for _, l := range r.loops {
		finished += l.finished.Load()
	}
	if finished == 0 {
		return -1
	}
	for _, l := range r.loops {
		l.do(func() {
			for _, c := range l.clients {
				if c.ended {
					heard = max(heard, c.group.end)
				} else {
					heard = max(heard, c.heard, c.timer.At)
				}
			}
		})
	}
	return heard
}

// cancelStuck names the clients that are late and cancels what they wait for.
func (l *eventLoop) cancelStuck() {
	l.readClock()
	for _, c := range l.clients {
		if c.ended {
			continue
		}
		l.run.message("error", fmt.Sprintf("client %d has not finished within %v of the end: %s; cancelling it", c.id, l.run.cfg.Grace, c.waitingFor(l.now)))
		if c.conn != nil && c.conn.cancel != nil {
			cancel := c.conn.cancel
			l.run.dials.Go(func() {
				ctx, stop := context.WithTimeout(l.run.ctx, cancelWait)
				defer stop()
				_ = cancel(ctx) // at worst the connection is closed next
			})
		}
	}
}
