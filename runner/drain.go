package runner

import (
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
