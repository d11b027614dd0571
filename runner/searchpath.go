package runner

import (
	"strings"

	"qbench/runner/script"
	"qbench/runner/wire"
)

// searchPath holds the statements that set Config.SearchPath in a transaction.
// A session's SET would stay on the pooler's connection, for other clients.
type searchPath struct {
	prefix string // of a simple message, which is one transaction
	// before goes ahead of a statement outside of a block, in the same implicit
	// transaction; SET LOCAL would warn there. inside follows a BEGIN; a SELECT
	// there would come before SET TRANSACTION ISOLATION LEVEL, which must be first.
	before, inside step
}

func newSearchPath(path string) *searchPath {
	if path == "" {
		return nil
	}
	own := func(sql string) step {
		return step{Command: &script.Command{Kind: script.SQL, Text: sql}, id: ownStatement, sql: sql}
	}
	set := "set local search_path = " + path
	quoted := "'" + strings.ReplaceAll(path, "'", "''") + "'"
	return &searchPath{prefix: set + "; ", before: own("select pg_catalog.set_config('search_path', " + quoted + ", true)"), inside: own(set)}
}

// ownStatement is the id of a statement that no script holds.
const ownStatement = -1

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
	return !c.tx.block
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
