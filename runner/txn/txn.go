// Package txn follows a client's transactions by what was sent and what the
// server answered: which orders are committed, and, where the connection was
// lost, which ones may be. It sends and receives nothing itself.
//
// Parts says what a statement does to the transaction, Transaction takes the
// replies as they come, and Transaction.Lost (doubt.go) judges what had no reply.
package txn

import "qbench/runner/wire"

// Transaction is what the server has open for one client: the orders that its
// statements have done and no COMMIT has made durable yet. The zero value is a
// new connection's.
type Transaction struct {
	block  bool  // a transaction block is open
	orders int64 // done and not committed
	// A message of several statements counts the rows of those that write; the
	// rows of its SELECTs are selected, and count only where none wrote.
	selected   int64
	wrote      bool
	savepoints []savepoint
	prepared   int64 // orders under PREPARE TRANSACTION
}

type savepoint struct {
	name   string
	orders int64
}

// InBlock says whether a transaction block is open, as of the last reply.
func (x *Transaction) InBlock() bool { return x.block }

// Wrote says whether a statement of the message under way wrote rows.
func (x *Transaction) Wrote() bool { return x.wrote }

// TakePrepared returns the orders under PREPARE TRANSACTION, and forgets them.
func (x *Transaction) TakePrepared() int64 {
	n := x.prepared
	x.prepared = 0
	return n
}

// Done takes what a statement did. rows is what it counts; writing tells the
// rows that a statement wrote from those that it read.
func (x *Transaction) Done(rows int64, writing bool) {
	if writing {
		x.wrote = true
		x.orders += rows
		return
	}
	x.selected += rows
}

// settle adds the rows that were only read, if they count.
func (x *Transaction) settle() {
	if !x.wrote {
		x.orders += x.selected
	}
	x.selected = 0
}

// EndMessage ends a message: in the extended protocol a statement, in the
// simple one all that a ReadyForQuery answers.
func (x *Transaction) EndMessage() {
	x.settle()
	x.wrote = false
}

// Forget drops what is not committed.
func (x *Transaction) Forget() {
	x.orders, x.selected = 0, 0
	x.savepoints = x.savepoints[:0]
}

// Complete takes the tag of a transaction command and returns the orders that
// it committed. Once COMMIT's tag has come, the commit is durable, whatever
// comes after it; the tags of other statements come before their commit.
func (x *Transaction) Complete(p Part, tag []byte) (committed int64) {
	switch string(wire.CommandTag(tag)) {
	case "COMMIT":
		x.settle()
		committed = x.orders
		x.Forget()
		x.block = p.Chain
	case "ROLLBACK": // also the answer to COMMIT in a failed block
		if p.Kind == RollbackTo {
			x.backTo(p.Name)
			return 0
		}
		x.Forget()
		x.block = p.Chain
	case "BEGIN", "START TRANSACTION":
		x.block = true
	case "SAVEPOINT":
		x.settle()
		x.savepoints = append(x.savepoints, savepoint{p.Name, x.orders})
	case "RELEASE":
		if i := x.find(p.Name); i >= 0 {
			x.savepoints = x.savepoints[:i]
		}
	case "PREPARE TRANSACTION":
		x.settle()
		x.prepared += x.orders
		x.Forget()
		x.block = false
	case "COMMIT PREPARED":
		committed, x.prepared = x.prepared, 0
	case "ROLLBACK PREPARED":
		x.prepared = 0
	}
	return committed
}

// Ready takes a ReadyForQuery with the server's transaction status and returns
// the orders that an implicit transaction committed. failed says that an error
// came since the last one: then that transaction was rolled back.
func (x *Transaction) Ready(status byte, failed bool) (committed int64) {
	x.EndMessage()
	x.block = status != 'I'
	if x.block {
		return 0
	}
	if !failed {
		committed = x.orders
	}
	x.Forget()
	return committed
}

func (x *Transaction) find(name string) int {
	for i := len(x.savepoints) - 1; i >= 0; i-- {
		if x.savepoints[i].name == name {
			return i
		}
	}
	return -1
}

func (x *Transaction) backTo(name string) {
	x.selected = 0
	if i := x.find(name); i >= 0 {
		x.orders = x.savepoints[i].orders
		x.savepoints = x.savepoints[:i+1]
	}
}
