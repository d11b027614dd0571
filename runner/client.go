package runner

import (
	"fmt"
	"time"

	"qbench/runner/loop"
	"qbench/runner/script"
)

// state is where a client stands between two events. The names follow
// pgbench's connection states, whose order of checks decides what is counted.
type state uint8

const (
	stChooseScript state = iota
	stThrottle           // sleeps until the scheduled start
	stWaitConn           // waits for a pooled or a new connection
	stStartTx
	stStartCommand
	stWaitPrepare // for the reply to a Parse sent ahead (-M prepared)
	stExecute     // after that
	stWaitResult
	stSleep // in \sleep
	stShell // in \shell or \setshell
	stEndCommand
	stError
	stWaitRollback
	stEndTx
	stIdle // found no order; waits before it looks again
	stAborted
	stFinished
)

// client walks through scripts, one transaction after the other. It is a
// state machine: advance takes it as far as it gets without waiting.
type client struct {
	id     int
	loop   *eventLoop
	thread *thread
	group  *group
	conn   *conn
	vars   *script.Vars
	env    script.Env
	rand   script.Rand // of \set's random functions
	state  state

	// The transaction under way.
	prog      *program
	pc        int
	nextPC    int   // after the command at pc
	scheduled int64 // start by the schedule, or begin where there is none
	begin     int64
	tries     int
	deadlocks int // tries that ended in one
	status    errorStatus
	saved     script.Rand // state at the start, for a retry
	tx        txn         // what the server has open
	committed int64       // orders done and committed
	cause     string      // first error of the transaction, if another one followed from it
	local     bool        // commands ran since the clock was read
	waited    bool        // the transaction gave way to others at least once
	count     int64       // of transactions, for -t
	emptyAt   int64       // orders acknowledged by all when it last found none
	ended     bool        // it no longer counts as live

	// The commands under way.
	stmtBegin int64
	sent      []sentStep // not yet answered, in order
	answered  int        // how many of sent are
	flushed   int        // how many of syncs were given to the socket
	syncs     []int      // len(sent) at each Sync not yet answered
	unsynced  bool       // encoded statements wait for a Sync to follow
	prologue  bool       // the next result is that of the search path
	block     bool       // within a transaction block, as far as was sent
	pipeline  bool       // between \startpipeline and \endpipeline
	next      state      // after a successful response

	// The response under way.
	failure    failure
	syncFailed bool   // an error came since the last ReadyForQuery
	runnable   bool   // the response is complete: advance
	badColumn  string // a column's name that no variable can have
	query      int    // number of the result within the response
	columns    []int
	row        []byte
	rows       int
	lastRows   int
	value      int64 // of CountValue
	heard      int64 // when the last reply came

	// Waiting.
	timer loop.Timer
}

// sentStep is a statement on its way.
type sentStep struct {
	*step
	pc       int
	parsing  bool   // its Parse is not yet confirmed
	executes bool   // it is not only parsed
	most     int64  // orders that it does at most
	key      string // of conn.inlined, where the statement has inlined text
}

// advance takes the client on until it waits for something or is done.
func (c *client) advance() {
	l := c.loop
	for {
		switch c.state {
		case stChooseScript:
			c.prog = c.thread.chooseScript(c.group)
			c.tries, c.deadlocks, c.status = 1, 0, noError
			c.waited, c.cause = false, ""
			if l.run.cfg.Debug {
				l.run.debug("client %d executing script \"%s\"", c.id, c.prog.Name)
			}
			switch {
			case l.timeUp():
				c.state = stFinished
			case c.group.rate > 0:
				if !c.throttle() {
					return
				}
			default:
				c.state = stStartTx
			}
		case stThrottle:
			// The timer fired.
			if c.state = stStartTx; l.timeUp() {
				c.state = stFinished
			}
		case stStartTx:
			if c.conn == nil {
				if l.readClock(); c.group.rate == 0 {
					// The wait for a pooled connection is part of the latency.
					c.scheduled = l.now
				}
				c.heard = l.now
				c.state = stWaitConn
				if !l.acquire(c) {
					return
				}
				c.state = stStartTx
			}
			l.readClock()
			c.saved = c.rand
			c.begin = l.now
			if c.group.rate == 0 && c.group.pool == nil {
				c.scheduled = l.now
			}
			c.pc, c.committed = 0, 0
			c.tx.forget()
			c.state = stStartCommand
		case stStartCommand:
			c.startCommand()
		case stExecute:
			c.execute()
		case stSleep, stShell:
			return
		case stEndCommand:
			c.endCommand()
		case stWaitPrepare, stWaitResult, stWaitRollback:
			c.waited = true
			if l.run.cfg.Debug {
				l.run.debug("client %d receiving", c.id)
			}
			c.flushed = len(c.syncs)
			if err := c.conn.flush(); err != nil {
				c.lostConnection(err)
				continue
			}
			return
		case stError:
			c.recoverError()
		case stEndTx:
			if !c.endTransaction() {
				return
			}
		case stIdle, stWaitConn:
			return
		case stAborted, stFinished:
			l.finish(c)
			return
		}
	}
}

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

// needsReplies tells the meta commands that reach outside the script.
func needsReplies(k script.Kind) bool {
	switch k {
	case script.Sleep, script.Shell, script.SetShell, script.StartPipeline:
		return true
	}
	return false
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

// account adds the transaction to the statistics, as pgbench does: skipped and
// failed ones count for -t but have no latency.
func (c *client) account(skipped bool) {
	l := c.loop
	c.count++
	l.account(c, skipped)
}
