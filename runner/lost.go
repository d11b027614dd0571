package runner

import (
	"fmt"
	"slices"

	"qbench/runner/script"
	"qbench/runner/txn"
)

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
	c.group.doubt.Add(c.lost())
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
func (c *client) lost() txn.Doubt {
	var groups [][]txn.Flight
	from := c.answered
	skip := 0 // results of the first message that have come
	if c.loop.run.cfg.Mode == Simple {
		skip = c.query
	}
	for _, end := range c.syncs[:min(c.flushed, len(c.syncs))] {
		var g []txn.Flight
		for _, s := range c.sent[min(from, end):end] {
			if s.executes {
				g = append(g, s.flights(skip, c.tx.Wrote())...)
			}
			skip = 0
		}
		groups = append(groups, g)
		from = max(from, end)
	}
	return c.tx.Lost(groups, c.syncFailed)
}

// flights lists the statements of a step but for the first ones. Rows that are
// only read do not count where the message has a statement that writes.
func (s *sentStep) flights(skip int, wrote bool) []txn.Flight {
	for _, p := range s.parts {
		wrote = wrote || len(s.parts) > 1 && p.Kind == txn.Write
	}
	var out []txn.Flight
	for _, p := range s.parts[min(skip, len(s.parts)):] {
		f := txn.Flight{Part: p, Most: s.most}
		switch p.Kind {
		case txn.Read:
			f.Counts = s.orders != script.NotCounted && !(wrote && s.orders == script.CountRows)
		case txn.Plain, txn.Write, txn.Call:
			f.Counts = s.orders != script.NotCounted
		}
		out = append(out, f)
	}
	return out
}

// doubtCall is called for an error: a procedure that ran outside of a block may
// have committed a part of its work before it failed.
func (c *client) doubtCall() {
	if c.answered >= len(c.sent) || c.tx.InBlock() {
		return
	}
	s := &c.sent[c.answered]
	if s.orders == script.NotCounted || c.part(s.step).Kind != txn.Call {
		return
	}
	c.group.doubt.AddMost(s.most)
	c.loop.publishDoubt()
}

// publishDoubt lets the other loops know that orders are in doubt.
func (l *eventLoop) publishDoubt() {
	if d := l.groups[0].doubt; d.Orders > 0 || d.Open {
		l.inDoubt.Store(true)
	}
}
