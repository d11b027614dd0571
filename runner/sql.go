package runner

import (
	"strconv"

	"qbench/runner/script"
	"qbench/runner/txn"
	"qbench/runner/wire"
)

// startSQL encodes a statement and decides what to wait for.
func (c *client) startSQL(st *step) {
	l := c.loop
	mode := l.run.cfg.Mode
	if c.pipeline && st.Store != script.NoStore {
		word := storeWord(st.Store)
		c.commandFailed(word, `\`+word+` is not allowed in pipeline mode`)
		return
	}
	// Within a group the first statement's start is the start of all.
	if l.run.cfg.PerStatement && !c.unsynced {
		if c.local {
			l.readClock()
			c.local = false
		}
		c.stmtBegin = l.now
	}
	switch {
	case mode == Simple:
		if l.run.cfg.Debug {
			c.debugSending(st, "")
		}
		path := ""
		if c.needsSearchPath() {
			path = l.run.searchPath.prefix
			c.prologue = true
		}
		c.conn.out = wire.AppendQuery(c.conn.out, func(dst []byte) []byte { return st.AppendSimple(append(dst, path...), c.vars) })
		c.sendStep(st, sentStep{executes: true})
		c.syncs = append(c.syncs, len(c.sent))
		c.state, c.next = stWaitResult, stEndCommand
		return
	case mode == Prepared && !c.pipeline:
		if p := c.preparedName(st); p.isNew {
			if c.needsSearchPath() {
				c.appendOwn(&l.run.searchPath.before)
			}
			c.appendParse(st, p.name)
			c.sendStep(st, sentStep{parsing: true, key: p.key})
			c.appendSync()
			c.state, c.next = stWaitPrepare, stExecute
			return
		}
	}
	c.withSearchPath(st, func() { c.appendExecution(st) })
	switch {
	case c.pipeline:
		c.state = stEndCommand
	case mode != Pipelined:
		c.sync(stEndCommand)
	default:
		c.join(st)
	}
}

// join decides, in pipelined mode, whether a statement waits for its reply.
func (c *client) join(st *step) {
	c.unsynced = true
	switch {
	case st.opens:
		c.block = true
	case st.closes:
		c.block = false
	}
	if st.travelsOn(c.block) {
		c.state = stEndCommand
		return
	}
	c.sync(stEndCommand)
}

// appendExecution encodes all that runs a statement in the extended protocol,
// except for the Sync.
func (c *client) appendExecution(st *step) {
	conn := c.conn
	describe := true
	var p preparedStatement
	switch mode := c.loop.run.cfg.Mode; mode {
	case Extended:
		conn.out = wire.AppendParse(conn.out, "", func(dst []byte) []byte { return st.appendSQL(dst, c.vars) })
	default:
		if p = c.preparedName(st); p.isNew {
			c.appendParse(st, p.name)
		}
		// In pipelined mode columns are described once, with the Parse.
		describe = mode != Pipelined
	}
	c.appendBound(st, p, describe)
}

func (c *client) appendBound(st *step, p preparedStatement, describe bool) {
	conn := c.conn
	if c.loop.run.cfg.Debug {
		c.debugSending(st, p.name)
	}
	conn.out = st.appendBind(conn.out, p.name, c.vars)
	if describe {
		conn.out = wire.AppendDescribePortal(conn.out)
	}
	conn.out = wire.AppendExecute(conn.out)
	c.sendStep(st, sentStep{parsing: p.isNew, executes: true, key: p.key})
}

// sendStep notes a statement that was encoded.
func (c *client) sendStep(st *step, s sentStep) {
	s.step, s.pc, s.most = st, c.pc, txn.Unbounded
	if s.executes && st.orders != script.NotCounted {
		s.most = st.mostOrders(c.vars)
	}
	c.sent = append(c.sent, s)
}

// execute runs a statement in prepared mode after its Parse was answered. If
// that failed, so will this, with the error that counts in pgbench.
func (c *client) execute() {
	st := &c.prog.steps[c.pc]
	c.withSearchPath(st, func() { c.appendBound(st, c.preparedName(st), true) })
	c.sync(stEndCommand)
}

// debugSending names a statement as pgbench does: by its text or, once it is
// prepared, by its name.
func (c *client) debugSending(st *step, name string) {
	switch {
	case name != "":
	case c.loop.run.cfg.Mode == Simple:
		name = string(st.AppendSimple(nil, c.vars))
	default:
		name = string(st.appendSQL(nil, c.vars))
	}
	c.loop.run.debug("client %d sending %s", c.id, name)
}

// preparedStatement is a statement's name on a connection.
type preparedStatement struct {
	name  string
	isNew bool   // it has to be parsed first
	key   string // of conn.inlined, for a new one with inlined text
}

// preparedName is the name of a statement on this connection. A new one
// counts as parsed from now on; unparse takes that back if its Parse fails.
func (c *client) preparedName(st *step) preparedStatement {
	conn := c.conn
	if len(st.inlined) == 0 {
		isNew := !conn.prepared[st.id]
		conn.prepared[st.id] = true
		return preparedStatement{name: st.name, isNew: isNew}
	}
	key := st.appendInlineKey(c.loop.scratch[:0], c.vars)
	c.loop.scratch = key
	if name, ok := conn.inlined[string(key)]; ok {
		return preparedStatement{name: name}
	}
	if conn.inlined == nil {
		conn.inlined = map[string]string{}
	}
	conn.texts++
	p := preparedStatement{st.name + "_" + strconv.Itoa(conn.texts), true, string(key)}
	conn.inlined[p.key] = p.name
	return p
}

// unparse forgets the statements of a failed response whose Parse the server
// did not get to.
func (c *client) unparse() {
	for _, s := range c.sent {
		switch {
		case !s.parsing:
		case s.key != "":
			delete(c.conn.inlined, s.key)
		default:
			c.conn.prepared[s.id] = false
		}
	}
}

func (c *client) appendParse(st *step, name string) {
	conn := c.conn
	conn.out = wire.AppendParse(conn.out, name, func(dst []byte) []byte { return st.appendSQL(dst, c.vars) })
	if c.loop.run.cfg.Mode == Pipelined && (st.Store != script.NoStore || st.orders == script.CountValue) {
		conn.out = wire.AppendDescribeStatement(conn.out, name)
	}
}

func (c *client) appendSync() {
	c.conn.out = wire.AppendSync(c.conn.out)
	c.syncs = append(c.syncs, len(c.sent))
}

// sync ends what was encoded and waits for all of it.
func (c *client) sync(next state) {
	c.appendSync()
	c.unsynced = false
	c.state, c.next = stWaitResult, next
}

func (c *client) sendRollback() {
	c.conn.out = wire.AppendQuery(c.conn.out, func(dst []byte) []byte { return append(dst, "ROLLBACK"...) })
	c.syncs = append(c.syncs, 0)
	c.state = stWaitRollback
}

// current is the statement whose results arrive, nil when none is expected.
func (c *client) current() *step {
	if c.answered < len(c.sent) {
		return c.sent[c.answered].step
	}
	return nil
}

// part is the statement of st's text whose result arrives.
func (c *client) part(st *step) txn.Part {
	i := 0
	if c.loop.run.cfg.Mode == Simple {
		i = c.query
	}
	if i < len(st.parts) {
		return st.parts[i]
	}
	return txn.Part{}
}

// needsSearchPath says whether the next statement begins a transaction that
// has to be given its search path.
func (c *client) needsSearchPath() bool {
	r := c.loop.run
	if r.searchPath == nil {
		return false
	}
	if r.cfg.Mode == Pipelined {
		return !c.block
	}
	return !c.tx.InBlock()
}

// withSearchPath encodes a statement and, where it begins a transaction, what
// sets the search path in it.
func (c *client) withSearchPath(st *step, encode func()) {
	if !c.needsSearchPath() {
		encode()
		return
	}
	p := c.loop.run.searchPath
	if !st.opens {
		c.appendOwn(&p.before)
	}
	encode()
	if st.opens {
		c.appendOwn(&p.inside)
	}
}

// appendOwn encodes an execution of a statement of qbench's own.
func (c *client) appendOwn(st *step) {
	out := wire.AppendParse(c.conn.out, "", func(dst []byte) []byte { return append(dst, st.sql...) })
	out = st.appendBind(out, "", c.vars)
	c.conn.out = wire.AppendExecute(out)
	c.sendStep(st, sentStep{executes: true})
}
