package runner

import (
	"fmt"
	"time"

	"qbench/runner/script"
)

// throttle schedules the next transaction; false when the client sleeps or is
// handled otherwise by the caller's loop through c.state.
func (c *client) throttle() bool {
	l := c.loop
	limit := int64(l.run.cfg.LatencyLimit)
	for {
		c.scheduled = c.thread.schedules[c.group.index].next()
		if limit == 0 {
			break
		}
		l.readClock()
		if c.scheduled >= l.now-limit {
			break
		}
		// Already later than the limit: not sent, but counted. The schedule
		// goes on, so that a slow server cannot slow the offered load down.
		c.account(true)
		if l.timeUp() || c.quotaDone() {
			c.state = stFinished
			return true
		}
	}
	if end := l.run.deadline; end > 0 && c.scheduled > end {
		c.state = stFinished
		return true
	}
	c.state = stThrottle
	l.readClock()
	if c.scheduled <= l.now {
		return true
	}
	c.waited = true
	l.sleep(c, c.scheduled)
	return false
}

func (c *client) quotaDone() bool {
	n := c.loop.run.cfg.Transactions
	return n > 0 && c.count >= n
}

// startCommand begins the command at c.pc, or ends the script.
func (c *client) startCommand() {
	l := c.loop
	if c.pc >= len(c.prog.steps) {
		switch {
		case c.pipeline:
			c.abort(fmt.Sprintf("client %d aborted: end of script reached with pipeline open", c.id))
		case c.unsynced:
			c.sync(stEndTx)
		default:
			c.state = stEndTx
		}
		return
	}
	st := &c.prog.steps[c.pc]
	c.nextPC = c.pc + 1
	if st.Kind == script.SQL {
		c.startSQL(st)
		return
	}
	// What must not overtake the statements before it waits for their replies.
	if c.unsynced && needsReplies(st.Kind) {
		c.sync(stStartCommand)
		return
	}
	if l.run.cfg.PerStatement {
		l.readClock()
		c.stmtBegin = l.now
	}
	c.local = true
	c.state = stEndCommand
	c.env.ScriptIndex, c.env.CommandIndex = c.prog.index, c.pc
	if l.run.cfg.Debug {
		l.run.debug("client %d executing %s", c.id, st.Text)
	}
	c.runMeta(st)
}

func (c *client) endCommand() {
	l := c.loop
	if st := &c.prog.steps[c.pc]; l.run.cfg.PerStatement && !(st.Kind == script.SQL && l.run.cfg.Mode == Pipelined) {
		if c.local {
			l.readClock()
		}
		l.statements[c.prog.index][c.pc].add(l.now - c.stmtBegin)
	}
	c.pc = c.nextPC
	c.state = stStartCommand
}

// endTransaction accounts for the transaction and decides what comes next;
// false when the client waits.
func (c *client) endTransaction() bool {
	l := c.loop
	if c.local {
		l.readClock()
		c.local = false
	}
	c.account(false)
	empty := c.committed == 0 && c.prog.countsOrders
	c.committed = 0
	if empty {
		l.checkDrained(c)
	}
	if c.conn != nil && c.conn.txStatus != 'I' {
		c.abort(fmt.Sprintf("client %d aborted: end of script reached without completing the last transaction", c.id))
		return true
	}
	if l.run.cfg.Connect {
		// Leaving is part of pgbench's connection time too.
		l.readClock()
		start := l.now
		l.disconnect(c)
		l.readClock()
		l.connecting += time.Duration(l.now - start)
	} else if c.group.pool != nil {
		l.release(c)
	}
	if l.timeUp() || c.quotaDone() {
		c.state = stFinished
		return true
	}
	c.state = stChooseScript
	if empty && c.status == noError && c.group.idle > 0 && !(c.conn != nil && c.conn.takeNotification()) {
		c.state = stIdle
		l.sleep(c, l.now+c.group.idle)
		return false
	}
	if !c.waited {
		// A script without a round trip must not keep the loop to itself.
		l.yield(c)
		return false
	}
	return true
}

// recoverError leaves the failed block, if there is one, and then tries again
// or gives the transaction up.
func (c *client) recoverError() {
	l := c.loop
	c.unsynced, c.block, c.pipeline = false, false, false
	c.tx.Forget()
	if c.conn.txStatus != 'I' {
		c.sendRollback()
		return
	}
	if c.status == deadlockError {
		c.deadlocks++
	}
	st := &l.statements[c.prog.index][c.failure.pc]
	switch {
	case l.timeUp():
		c.state = stFinished
	case c.retry():
		l.verbose(c, true)
		st.retries++
		c.tries++
		c.rand = c.saved
		c.status = noError
		c.failure = failure{}
		c.pc = 0
		c.state = stStartCommand
	default:
		l.verbose(c, false)
		st.failures++
		c.failure = failure{}
		c.state = stEndTx
	}
}

// retry says whether the failed transaction is tried again.
func (c *client) retry() bool {
	l := c.loop
	cfg := &l.run.cfg
	if !c.status.retriable() || cfg.MaxTries > 0 && c.tries >= cfg.MaxTries {
		return false
	}
	if cfg.LatencyLimit > 0 {
		l.readClock()
		return l.now-c.scheduled <= int64(cfg.LatencyLimit)
	}
	return true
}
