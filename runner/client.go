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
	thread *thread
	lane   *lane
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
	t := c.thread
	for {
		switch c.state {
		case stChooseScript:
			c.prog = c.lane.chooseScript(c.group)
			c.tries, c.deadlocks, c.status = 1, 0, noError
			c.waited, c.cause = false, ""
			if t.run.cfg.Debug {
				t.run.debug("client %d executing script \"%s\"", c.id, c.prog.Name)
			}
			switch {
			case t.timeUp():
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
			if c.state = stStartTx; t.timeUp() {
				c.state = stFinished
			}
		case stStartTx:
			if c.conn == nil {
				if t.readClock(); c.group.rate == 0 {
					// The wait for a pooled connection is part of the latency.
					c.scheduled = t.now
				}
				c.heard = t.now
				c.state = stWaitConn
				if !t.acquire(c) {
					return
				}
				c.state = stStartTx
			}
			t.readClock()
			c.saved = c.rand
			c.begin = t.now
			if c.group.rate == 0 && c.group.pool == nil {
				c.scheduled = t.now
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
			if t.run.cfg.Debug {
				t.run.debug("client %d receiving", c.id)
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
			t.finish(c)
			return
		}
	}
}

// throttle schedules the next transaction; false when the client sleeps or is
// handled otherwise by the caller's loop through c.state.
func (c *client) throttle() bool {
	t := c.thread
	limit := int64(t.run.cfg.LatencyLimit)
	for {
		c.scheduled = c.lane.schedules[c.group.index].next()
		if limit == 0 {
			break
		}
		t.readClock()
		if c.scheduled >= t.now-limit {
			break
		}
		// Already later than the limit: not sent, but counted. The schedule
		// goes on, so that a slow server cannot slow the offered load down.
		c.account(true)
		if t.timeUp() || c.quotaDone() {
			c.state = stFinished
			return true
		}
	}
	if end := t.run.deadline; end > 0 && c.scheduled > end {
		c.state = stFinished
		return true
	}
	c.state = stThrottle
	t.readClock()
	if c.scheduled <= t.now {
		return true
	}
	c.waited = true
	t.sleep(c, c.scheduled)
	return false
}

func (c *client) quotaDone() bool {
	n := c.thread.run.cfg.Transactions
	return n > 0 && c.count >= n
}

// startCommand begins the command at c.pc, or ends the script.
func (c *client) startCommand() {
	t := c.thread
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
	if t.run.cfg.PerStatement {
		t.readClock()
		c.stmtBegin = t.now
	}
	c.local = true
	c.state = stEndCommand
	c.env.ScriptIndex, c.env.CommandIndex = c.prog.index, c.pc
	if t.run.cfg.Debug {
		t.run.debug("client %d executing %s", c.id, st.Text)
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
	t := c.thread
	if st := &c.prog.steps[c.pc]; t.run.cfg.PerStatement && !(st.Kind == script.SQL && t.run.cfg.Mode == Pipelined) {
		if c.local {
			t.readClock()
		}
		t.statements[c.prog.index][c.pc].add(t.now - c.stmtBegin)
	}
	c.pc = c.nextPC
	c.state = stStartCommand
}

// endTransaction accounts for the transaction and decides what comes next;
// false when the client waits.
func (c *client) endTransaction() bool {
	t := c.thread
	if c.local {
		t.readClock()
		c.local = false
	}
	c.account(false)
	empty := c.committed == 0 && c.prog.countsOrders
	c.committed = 0
	if empty {
		t.checkDrained(c)
	}
	if c.conn != nil && c.conn.txStatus != 'I' {
		c.abort(fmt.Sprintf("client %d aborted: end of script reached without completing the last transaction", c.id))
		return true
	}
	if t.run.cfg.Connect {
		// Leaving is part of pgbench's connection time too.
		t.readClock()
		start := t.now
		t.disconnect(c)
		t.readClock()
		t.connecting += time.Duration(t.now - start)
	} else if c.group.pool != nil {
		t.release(c)
	}
	if t.timeUp() || c.quotaDone() {
		c.state = stFinished
		return true
	}
	c.state = stChooseScript
	if empty && c.status == noError && c.group.idle > 0 && !(c.conn != nil && c.conn.takeNotification()) {
		c.state = stIdle
		t.sleep(c, t.now+c.group.idle)
		return false
	}
	if !c.waited {
		// A script without a round trip must not keep the thread to itself.
		t.yield(c)
		return false
	}
	return true
}

// account adds the transaction to the statistics, as pgbench does: skipped and
// failed ones count for -t but have no latency.
func (c *client) account(skipped bool) {
	t := c.thread
	c.count++
	t.account(c, skipped)
}
