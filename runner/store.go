package runner

import (
	"fmt"

	"qbench/runner/script"
	"qbench/runner/wire"
)

// Slots of columns that set no variable.
const (
	notReferenced = -1 // no script uses the name
	badName       = -2 // no variable can have the name
)

// columnSlot is the variable that a column sets.
func (c *client) columnSlot(st *step, column []byte) int {
	name := append(append(c.loop.scratch[:0], st.Prefix...), column...)
	c.loop.scratch = name
	if slot, ok := c.loop.run.cfg.Symbols.Lookup(name); ok {
		return slot
	}
	if !script.ValidName(string(name)) {
		c.badColumn = string(name)
		return badName
	}
	return notReferenced
}

// rowDescription finds the variables that the columns of a stored result set.
func (c *client) rowDescription(body []byte) {
	st := c.current()
	n, fields, ok := wire.FieldCount(body)
	if st == nil || st.Store == script.NoStore || !ok {
		return
	}
	c.columns = c.columns[:0]
	for range n {
		var name []byte
		if name, fields, ok = wire.ColumnName(fields); !ok {
			return
		}
		c.columns = append(c.columns, c.columnSlot(st, name))
	}
	if c.loop.run.cfg.Mode == Pipelined {
		c.conn.columns[st.id] = append([]int(nil), c.columns...)
	}
}

// gset stores the one row that \gset demands.
func (c *client) gset(st *step) {
	c.query-- // the one that was just completed
	if c.lastRows != 1 {
		c.fail(failure{text: fmt.Sprintf("expected one row, got %d", c.lastRows), fatal: true})
		return
	}
	c.storeRow(st)
}

// storeRow sets the variables of \gset and \aset from the last row.
func (c *client) storeRow(st *step) {
	columns := c.columns
	if c.loop.run.cfg.Mode == Pipelined {
		columns = c.conn.columns[st.id]
	}
	_, fields, _ := wire.FieldCount(c.row)
	for _, slot := range columns {
		value, rest, _, ok := wire.ColumnValue(fields)
		if !ok {
			c.fail(failure{text: "the server sent a malformed DataRow", fatal: true})
			return
		}
		fields = rest
		switch {
		case slot == badName:
			c.loop.run.message("error", fmt.Sprintf(`%s: invalid variable name: "%s"`, storeWord(st.Store), c.badColumn))
			c.fail(failure{text: "error storing into variable " + c.badColumn, fatal: true})
			return
		case slot != notReferenced:
			c.vars.SetText(slot, value)
		}
	}
}
