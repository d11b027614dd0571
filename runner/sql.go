package runner

import (
	"strconv"

	"qbench/runner/script"
)

// startSQL encodes a statement and decides what to wait for.
func (c *client) startSQL(st *step) {
	t := c.thread
	mode := t.run.cfg.Mode
	if c.pipeline && st.Store != script.NoStore {
		c.commandFailed("SQL", `\gset and \aset are not allowed in pipeline mode`)
		return
	}
	// Within a group the first statement's start is the start of all.
	if t.run.cfg.PerStatement && !c.unsynced {
		if c.local {
			t.readClock()
			c.local = false
		}
		c.stmtBegin = t.now
	}
	switch {
	case mode == Simple:
		c.conn.out = appendQuery(c.conn.out, func(dst []byte) []byte { return st.AppendSimple(dst, c.vars) })
		c.sent = append(c.sent, sentStep{st, c.pc})
		c.syncs = append(c.syncs, len(c.sent))
		c.state, c.next = stWaitResult, stEndCommand
		return
	case mode == Prepared && !c.pipeline:
		if name, isNew := c.preparedName(st); isNew {
			c.appendParse(st, name)
			c.sent = append(c.sent, sentStep{st, c.pc})
			c.appendSync()
			c.state, c.next = stWaitPrepare, stStartCommand
			return
		}
	}
	c.appendExecution(st)
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
	name := ""
	switch mode := c.thread.run.cfg.Mode; mode {
	case Extended:
		conn.out = appendParse(conn.out, "", func(dst []byte) []byte { return st.appendSQL(dst, c.vars) })
	default:
		var isNew bool
		if name, isNew = c.preparedName(st); isNew {
			c.appendParse(st, name)
		}
		// In pipelined mode columns are described once, with the Parse.
		describe = mode != Pipelined
	}
	conn.out = st.appendBind(conn.out, name, c.vars)
	if describe {
		conn.out = append(conn.out, msgDescribePortal...)
	}
	conn.out = append(conn.out, msgExecute...)
	c.sent = append(c.sent, sentStep{st, c.pc})
}

// preparedName is the name of a statement on this connection; isNew when it
// has to be parsed first, which the caller must then do.
func (c *client) preparedName(st *step) (name string, isNew bool) {
	conn := c.conn
	if len(st.inlined) == 0 {
		isNew = !conn.prepared[st.id]
		conn.prepared[st.id] = true
		return st.name, isNew
	}
	key := st.appendInlineKey(c.thread.scratch[:0], c.vars)
	c.thread.scratch = key
	if name, ok := conn.inlined[string(key)]; ok {
		return name, false
	}
	if conn.inlined == nil {
		conn.inlined = map[string]string{}
	}
	name = st.name + "_" + strconv.Itoa(len(conn.inlined))
	conn.inlined[string(key)] = name
	return name, true
}

func (c *client) appendParse(st *step, name string) {
	conn := c.conn
	conn.out = appendParse(conn.out, name, func(dst []byte) []byte { return st.appendSQL(dst, c.vars) })
	if c.thread.run.cfg.Mode == Pipelined && (st.Store != script.NoStore || st.orders == CountValue) {
		conn.out = appendDescribeStatement(conn.out, name)
	}
}

func (c *client) appendSync() {
	c.conn.out = append(c.conn.out, msgSync...)
	c.syncs = append(c.syncs, len(c.sent))
}

// sync ends what was encoded and waits for all of it.
func (c *client) sync(next state) {
	c.appendSync()
	c.unsynced = false
	c.state, c.next = stWaitResult, next
}

func (c *client) sendRollback() {
	c.conn.out = appendQuery(c.conn.out, func(dst []byte) []byte { return append(dst, "ROLLBACK"...) })
	c.syncs = append(c.syncs, 0)
	c.state = stWaitRollback
}
