package runner

import (
	"fmt"
)

// failure is the first error of a response.
type failure struct {
	status errorStatus
	body   []byte // of the ErrorResponse
	pc     int    // command it is reported for
	at     *step  // command it came from
	query  int
	text   string // set instead of body for errors found on this side
	fatal  bool   // the script is at fault: abort whatever the policy
}

// retry says whether the failed transaction is tried again.
func (c *client) retry() bool {
	t := c.thread
	cfg := &t.run.cfg
	if !c.status.retriable() || cfg.MaxTries > 0 && c.tries >= cfg.MaxTries {
		return false
	}
	if cfg.LatencyLimit > 0 {
		t.readClock()
		return t.now-c.scheduled <= int64(cfg.LatencyLimit)
	}
	return true
}

// recoverError leaves the failed block, if there is one, and then tries again
// or gives the transaction up.
func (c *client) recoverError() {
	t := c.thread
	c.unsynced, c.block, c.pipeline = false, false, false
	c.txOrders = 0
	if c.conn.txStatus != 'I' {
		c.sendRollback()
		return
	}
	if c.status == deadlockError {
		c.deadlocks++
	}
	st := &t.statements[c.prog.index][c.failure.pc]
	switch {
	case t.timeUp():
		c.state = stFinished
	case c.retry():
		t.verbose(c, true)
		st.retries++
		c.tries++
		c.rand = c.saved
		c.status = noError
		c.failure = failure{}
		c.pc = 0
		c.state = stStartCommand
	default:
		t.verbose(c, false)
		st.failures++
		c.failure = failure{}
		c.state = stEndTx
	}
}

// abort ends the client for good; the run is then incomplete.
func (c *client) abort(message string) {
	c.thread.run.message("error", message)
	c.thread.run.noteError(message)
	c.state = stAborted
}

// commandFailed is how pgbench words the abort of a client by a command.
func (c *client) commandFailed(word, message string) {
	c.abort(fmt.Sprintf("client %d aborted in command %d (%s) of script %d; %s", c.id, c.pc, word, c.prog.index, message))
}

// lostConnection aborts the client whose connection ended; what it had sent
// may or may not have been committed.
func (c *client) lostConnection(err error) {
	t := c.thread
	if c.state == stFinished || c.state == stAborted {
		return
	}
	if c.prog != nil {
		t.inDoubt(c)
	}
	c.conn.sock.Close()
	c.conn = nil
	switch {
	case c.prog == nil:
		c.abort(fmt.Sprintf("client %d aborted: the connection was lost (%v)", c.id, err))
	case c.failure.body != nil:
		c.abort(c.sqlAbort())
	default:
		c.commandFailed("SQL", fmt.Sprintf("perhaps the backend died while processing (%v)", err))
	}
}
