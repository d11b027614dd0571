package runner

import (
	"fmt"
	"time"
)

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
	c.group.doubt.Orders += c.tx.TakePrepared()
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

// cutOff ends a client that has not finished. A reason makes it an aborted one;
// without, it is only part of a run that ends at once.
func (c *client) cutOff(reason string) {
	if c.ended {
		return
	}
	c.leaveConnection()
	c.state = stFinished
	if reason != "" {
		c.abort(fmt.Sprintf("client %d aborted: %s", c.id, reason))
	}
	c.loop.finish(c)
}

// waitingFor says in words why the client has not finished.
func (c *client) waitingFor(now int64) string {
	silence := time.Duration(now - c.heard).Round(100 * time.Millisecond)
	switch {
	case c.state == stWaitConn:
		return fmt.Sprintf("waiting for a connection for %v", silence)
	case c.state == stSleep, c.state == stShell:
		return fmt.Sprintf("in \\%s", c.prog.steps[c.pc].Name)
	case c.prog != nil && c.pc < len(c.prog.steps):
		return fmt.Sprintf("no reply for %v in command %d of script %d: %s", silence, c.pc, c.prog.index, firstLine(c.prog.steps[c.pc].Text))
	}
	return fmt.Sprintf("no reply for %v", silence)
}
