package runner

import (
	"fmt"
	"slices"
	"time"

	"qbench/runner/script"
	"qbench/runner/wire"
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

// fail notes the first error of the response.
func (c *client) fail(f failure) {
	if c.failure.status != noError {
		return
	}
	if f.status == noError {
		f.status = metaError
	}
	mode := c.loop.run.cfg.Mode
	// pgbench blames \endpipeline for whatever fails in a pipeline; in
	// pipelined mode there is no such command, and the statement itself is named.
	f.pc = min(c.pc, len(c.prog.steps)-1)
	f.at = &c.prog.steps[f.pc]
	if c.answered < len(c.sent) {
		f.at = c.sent[c.answered].step
		if mode == Pipelined {
			f.pc = c.sent[c.answered].pc
		}
	}
	if mode == Simple {
		f.query = c.query
	}
	c.failure = f
}

// prepareFailed reports the error and goes on as pgbench does: the execution
// of the statement, which does not exist then, decides what follows.
func (c *client) prepareFailed() {
	c.cause = c.errorText()
	c.loop.run.message("error", c.cause)
	c.failure = failure{}
	c.state = c.next
}

// failed decides what an error in a response leads to, as pgbench does.
func (c *client) failed() {
	l := c.loop
	f := &c.failure
	switch {
	case f.fatal:
		c.abort(fmt.Sprintf("client %d script %d command %d query %d: %s", c.id, c.prog.index, f.pc, f.query, f.text))
	case f.status.retriable() || l.run.cfg.ContinueOnError:
		c.status = f.status
		if l.run.cfg.VerboseErrors {
			l.run.message("info", fmt.Sprintf("client %d got an error in command %d (SQL) of script %d; %s", c.id, f.pc, c.prog.index, c.errorText()))
		}
		c.state = stError
	default:
		c.abortBySQL()
	}
}

// abortBySQL aborts the client in pgbench's words. The result names what went
// wrong first: where a statement could not be prepared, that is why.
func (c *client) abortBySQL() {
	text := c.errorText()
	words := func(cause string) string {
		return fmt.Sprintf("client %d script %d aborted in command %d query %d: %s", c.id, c.prog.index, c.failure.pc, c.failure.query, cause)
	}
	switch {
	case c.loop.run.overdue.Load() && string(wire.ErrorField(c.failure.body, wire.FieldSQLState)) == stateCancelled:
		c.abortBecause(words(text), fmt.Sprintf("client %d aborted: it did not finish in time and was cancelled: command %d of script %d: %s",
			c.id, c.failure.pc, c.prog.index, firstLine(c.failure.at.Text)))
	case c.cause != "":
		c.abortBecause(words(text), words(c.cause))
	default:
		c.abort(words(text))
	}
}

// errorText shows the server's error with the statement it belongs to.
func (c *client) errorText() string {
	query := ""
	if st := c.failure.at; st.Kind == script.SQL {
		if c.loop.run.cfg.Mode == Simple {
			query = string(st.AppendSimple(nil, c.vars))
		} else {
			query = string(st.appendSQL(nil, c.vars))
		}
	}
	return wire.ErrorText(c.failure.body, query)
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

// recoverError leaves the failed block, if there is one, and then tries again
// or gives the transaction up.
func (c *client) recoverError() {
	l := c.loop
	c.unsynced, c.block, c.pipeline = false, false, false
	c.tx.forget()
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

// abort ends the client for good; the run is then incomplete.
func (c *client) abort(message string) { c.abortBecause(message, message) }

// abortBecause prints one message and keeps another in the result.
func (c *client) abortBecause(message, reason string) {
	c.loop.run.message("error", message)
	c.loop.run.noteError(reason)
	c.state = stAborted
}

// commandFailed is how pgbench words the abort of a client by a command.
func (c *client) commandFailed(word, message string) {
	c.abort(fmt.Sprintf("client %d aborted in command %d (%s) of script %d; %s", c.id, c.pc, word, c.prog.index, message))
}

// lostConnection aborts the client whose connection ended, whatever it waits
// for; what it had sent may or may not have been committed.
func (c *client) lostConnection(err error) {
	if c.ended || c.state == stAborted {
		return
	}
	shell := c.state == stShell
	c.leaveConnection()
	switch {
	case c.loop.run.killed():
		c.state = stFinished // whoever ended the run may have ended the server too
	case c.prog == nil:
		c.abort(fmt.Sprintf("client %d aborted: the connection was lost (%v)", c.id, err))
	case c.failure.body != nil && !shell:
		c.abortBySQL()
	default:
		c.commandFailed("SQL", fmt.Sprintf("perhaps the backend died while processing (%v)", err))
	}
}

// leaveConnection closes the client's connection without waiting for replies,
// counts what that leaves in doubt, and takes the client out of all queues.
func (c *client) leaveConnection() {
	l := c.loop
	l.unsleep(c)
	l.ready = slices.DeleteFunc(l.ready, func(x *client) bool { return x == c })
	if c.conn == nil {
		return
	}
	c.group.doubt.add(c.lost())
	c.tx.prepared = 0 // is part of that
	l.publishDoubt()
	c.conn.sock.Close()
	c.conn.client = nil
	c.conn = nil
	c.sent, c.syncs = c.sent[:0], c.syncs[:0]
	if c.group.pool != nil {
		l.shrink(c.group)
	}
}

// lost is what may have been committed of what was sent.
func (c *client) lost() doubt {
	var groups [][]flight
	from := c.answered
	skip := 0 // results of the first message that have come
	if c.loop.run.cfg.Mode == Simple {
		skip = c.query
	}
	for _, end := range c.syncs[:min(c.flushed, len(c.syncs))] {
		var g []flight
		for _, s := range c.sent[min(from, end):end] {
			if s.executes {
				g = append(g, s.flights(skip, c.tx.wrote)...)
			}
			skip = 0
		}
		groups = append(groups, g)
		from = max(from, end)
	}
	return c.tx.lost(groups, c.syncFailed)
}

// flights lists the statements of a step but for the first ones. Rows that are
// only read do not count where the message has a statement that writes.
func (s *sentStep) flights(skip int, wrote bool) []flight {
	for _, p := range s.parts {
		wrote = wrote || len(s.parts) > 1 && p.kind == writeSQL
	}
	var out []flight
	for _, p := range s.parts[min(skip, len(s.parts)):] {
		f := flight{sqlPart: p, most: s.most}
		switch p.kind {
		case readSQL:
			f.counts = s.orders != NotCounted && !(wrote && s.orders == CountRows)
		case plainSQL, writeSQL, callSQL:
			f.counts = s.orders != NotCounted
		}
		out = append(out, f)
	}
	return out
}

// doubtCall is called for an error: a procedure that ran outside of a block may
// have committed a part of its work before it failed.
func (c *client) doubtCall() {
	if c.answered >= len(c.sent) || c.tx.block {
		return
	}
	s := &c.sent[c.answered]
	if s.orders == NotCounted || c.part(s.step).kind != callSQL {
		return
	}
	if s.most == unbounded {
		c.group.doubt.open = true
	} else {
		c.group.doubt.orders += s.most
	}
	c.loop.publishDoubt()
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
