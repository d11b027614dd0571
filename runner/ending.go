package runner

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// checkDrained is called after a transaction of c that found nothing; whoever
// sees that all orders are acknowledged ends the run. Where a client was lost,
// that number may never be reached: then the queue counts as drained when every
// client has looked since the last acknowledged order and found nothing.
func (l *eventLoop) checkDrained(c *client) {
	r := l.run
	if r.cfg.Orders <= 0 || c.group.index > 0 || r.drained.Load() {
		return
	}
	acked := r.acked()
	if acked < r.cfg.Orders && !(r.incomplete() && l.allFoundNothing(c, acked) && l.quietFor(acked) >= r.cfg.Lease) {
		return
	}
	if acked >= r.cfg.Orders {
		r.client.end(r.client.read())
	} else {
		r.client.end(l.quietUse)
	}
	r.drained.Store(true)
	r.halt()
}

// allFoundNothing notes that c found nothing, and says whether all consumers
// have since acked orders were acknowledged. Those that wait for a reply for
// longer than the grace period are not waited for.
func (l *eventLoop) allFoundNothing(c *client, acked int64) bool {
	c.emptyAt = acked + 1
	for _, o := range l.clients {
		if o.group.index == 0 && !o.ended && o.emptyAt != acked+1 && !o.silent(l.now) {
			return false
		}
	}
	l.emptyAt.Store(acked + 1)
	for _, o := range l.run.loops {
		if o.emptyAt.Load() != acked+1 && !o.idle.Load() {
			return false
		}
	}
	return true
}

// quietFor is how long all consumers have found nothing.
func (l *eventLoop) quietFor(acked int64) time.Duration {
	if l.quietAt != acked+1 {
		l.quietAt, l.quietSince, l.quietUse = acked+1, l.now, l.run.client.read()
	}
	return time.Duration(l.now - l.quietSince)
}

// silent says whether the client has waited for longer than the grace period.
func (c *client) silent(now int64) bool {
	grace := int64(c.loop.run.cfg.Grace)
	return grace > 0 && now-c.heard > grace
}

// publishDoubt lets the other loops know that orders are in doubt.
func (l *eventLoop) publishDoubt() {
	if d := l.groups[0].doubt; d.orders > 0 || d.open {
		l.inDoubt.Store(true)
	}
}

// incomplete says whether some orders may never be acknowledged: in doubt, or
// claimed by a client that was aborted.
func (r *run) incomplete() bool {
	if r.aborted.Load() > 0 {
		return true
	}
	for _, l := range r.loops {
		if l.inDoubt.Load() {
			return true
		}
	}
	return false
}

// finish ends a client; it does so once.
func (l *eventLoop) finish(c *client) {
	if c.ended {
		return
	}
	c.ended = true
	aborted := c.state == stAborted
	if c.conn != nil {
		if c.group.pool != nil && !aborted {
			l.release(c)
		} else {
			l.disconnect(c)
			if c.group.pool != nil {
				l.shrink(c.group)
			}
		}
	}
	l.live--
	l.finished.Add(1)
	l.readClock()
	c.group.end = max(c.group.end, l.run.endFor(l.now))
	// Transactions that it left prepared may still be committed.
	c.group.doubt.orders += c.tx.prepared
	c.tx.prepared = 0
	// The transaction is not counted, but what it committed is done.
	if c.prog != nil && c.begin < l.run.measureFrom {
		c.group.warmupOrders += c.committed
	} else {
		c.group.stats.Orders += c.committed
	}
	c.committed = 0
	if aborted {
		l.run.aborted.Add(1)
		if l.run.cfg.ExitOnAbort && !l.run.quit.Swap(true) {
			l.run.message("error", fmt.Sprintf("Run was aborted due to an error in thread %d", c.thread.index))
			l.run.halt()
		}
	}
	if !l.hasConsumers() {
		l.idle.Store(true)
	}
	if l.live == 0 {
		l.closePools()
	}
}

func (l *eventLoop) hasConsumers() bool {
	for _, c := range l.clients {
		if c.group.index == 0 && !c.ended {
			return true
		}
	}
	return false
}

// endFor is the moment at which a client that finishes now has ended: what is
// cut off has done nothing since its grace began.
func (r *run) endFor(now int64) int64 {
	if since := r.graceFrom.Load(); since > 0 {
		return min(now, since)
	}
	return now
}

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
func (e *ending) check(o *observer) {
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
	since := e.graceSince(o, now)
	if since < 0 || now-since < int64(r.cfg.Grace) {
		return
	}
	e.cancelled = now
	r.graceFrom.Store(max(1, since))
	r.overdue.Store(true)
	for _, l := range r.loops {
		o.onLoop(l, func() { l.cancelStuck() })
	}
	r.halt()
}

// graceSince is when the grace period began; negative is not yet.
func (e *ending) graceSince(o *observer, now int64) int64 {
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
		o.onLoop(l, func() {
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

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
