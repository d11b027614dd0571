package runner

import (
	"errors"
	"fmt"
	"strconv"

	"qbench/runner/script"
	"qbench/runner/wire"
)

// errCopy ends a connection whose client was aborted already.
var errCopy = errors.New("a script cannot COPY")

// frame handles one message.
func (c *conn) frame(f wire.Frame) error {
	cl := c.client
	if f.Kind == wire.KindNotificationResponse {
		c.notified = true
		if cl != nil && cl.state == stIdle {
			cl.endIdle()
		}
		return nil
	}
	if cl == nil {
		return nil // a pooled connection at rest: parameter changes, notices
	}
	switch f.Kind {
	case wire.KindNoticeResponse:
		cl.loop.run.message("notice", wire.NoticeText(f.Body))
	case wire.KindParseComplete:
		if cl.answered < len(cl.sent) {
			cl.sent[cl.answered].parsing = false
		}
	case wire.KindRowDescription:
		cl.rowDescription(f.Body)
	case wire.KindDataRow:
		return cl.dataRow(f.Body)
	case wire.KindCommandComplete:
		cl.commandComplete(f.Body)
	case wire.KindEmptyQueryResponse:
		cl.commandComplete(nil)
	case wire.KindErrorResponse:
		cl.errorResponse(f.Body)
	case wire.KindReadyForQuery:
		status, ok := wire.TransactionStatus(f.Body)
		if !ok {
			return errors.New("the server sent a malformed ReadyForQuery")
		}
		cl.readyForQuery(status)
	case wire.KindCopyInResponse, wire.KindCopyOutResponse, wire.KindCopyBothResponse:
		cl.abort("COPY is not supported in pgbench, aborting")
		return errCopy
	}
	return nil
}

func (c *client) dataRow(body []byte) error {
	st := c.current()
	if st == nil {
		return nil
	}
	c.rows++
	if st.orders == script.CountValue && c.rows == 1 {
		_, fields, _ := wire.FieldCount(body)
		value, _, null, ok := wire.ColumnValue(fields)
		if !ok {
			return errors.New("the server sent a malformed DataRow")
		}
		c.value = 0
		if !null {
			n, err := strconv.ParseInt(string(value), 10, 64)
			if err != nil {
				return fmt.Errorf("the number of orders done is %q, which is not an integer", value)
			}
			c.value = n
		}
	}
	if st.Store != script.NoStore {
		c.row = append(c.row[:0], body...)
	}
	return nil
}

func (c *client) commandComplete(tag []byte) {
	st := c.current()
	if st == nil {
		return
	}
	simple := c.loop.run.cfg.Mode == Simple
	if simple && c.prologue {
		c.prologue = false // its result is no statement's of the script
		return
	}
	switch st.orders {
	case script.CountRows:
		c.tx.Done(wire.CommandRows(tag), wire.CommandWrites(tag))
	case script.CountValue:
		c.tx.Done(c.value, true)
		c.value = 0
	}
	if !simple {
		c.tx.EndMessage()
	}
	c.commit(c.tx.Complete(c.part(st), tag))
	if st.Store == script.Aset && c.rows > 0 {
		c.storeRow(st)
	}
	c.lastRows, c.rows = c.rows, 0
	c.query++
	if !simple {
		c.answered++
	}
}

func (c *client) errorResponse(body []byte) {
	// FATAL ends the connection and says nothing of the transaction.
	if !wire.Fatal(body) {
		c.syncFailed = true
		c.doubtCall()
	}
	c.fail(failure{status: classify(wire.ErrorField(body, wire.FieldSQLState)), body: append([]byte(nil), body...)})
}

// readyForQuery ends the reply to one Sync.
func (c *client) readyForQuery(status byte) {
	c.conn.txStatus = status
	if len(c.syncs) == 0 {
		return
	}
	if last := c.syncs[0] - 1; last >= 0 && c.state == stWaitResult && c.failure.status == noError && c.sent[last].Store == script.Gset {
		c.answered = last
		c.gset(c.sent[last].step)
	}
	c.answered = c.syncs[0]
	c.syncs = c.syncs[:copy(c.syncs, c.syncs[1:])]
	c.flushed = max(0, c.flushed-1)
	c.commit(c.tx.Ready(status, c.syncFailed))
	c.syncFailed = false
	if len(c.syncs) == 0 {
		c.responseDone()
	}
}

// commit counts orders whose commit the server has acknowledged.
func (c *client) commit(orders int64) {
	if orders == 0 {
		return
	}
	c.committed += orders
	c.loop.acknowledge(c, orders)
}

// responseDone continues after all that was waited for has come.
func (c *client) responseDone() {
	l := c.loop
	if l.run.cfg.Mode == Pipelined && l.run.cfg.PerStatement && c.state == stWaitResult {
		for _, s := range c.sent {
			l.statements[c.prog.index][s.pc].add(l.now - c.stmtBegin)
		}
	}
	if c.failure.status != noError {
		c.unparse()
	}
	c.sent, c.answered, c.query, c.rows = c.sent[:0], 0, 0, 0
	c.flushed, c.prologue = 0, false
	c.runnable = true
	switch {
	case c.state == stWaitRollback:
		c.state = stError
		if c.conn.txStatus != 'I' {
			c.abort(fmt.Sprintf("client %d aborted while rolling back the transaction after an error", c.id))
		}
	case c.failure.status == noError:
		c.state = c.next
	case c.state == stWaitPrepare && !c.failure.status.retriable():
		c.prepareFailed()
	default:
		c.failed()
	}
}

// endIdle wakes a client that found no order.
func (c *client) endIdle() {
	c.loop.unsleep(c)
	c.conn.notified = false
	c.state = stChooseScript
	c.runnable = true
}
