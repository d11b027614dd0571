package runner

import (
	"qbench/runner/wire"
)

// txn follows, from the server's replies, the transaction of one client: which
// orders its statements have done that no COMMIT has made durable yet.
type txn struct {
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

// done takes what a statement did. rows is what it counts; writing tells the
// rows that a statement wrote from those that it read.
func (x *txn) done(rows int64, writing bool) {
	if writing {
		x.wrote = true
		x.orders += rows
		return
	}
	x.selected += rows
}

// settle adds the rows that were only read, if they count.
func (x *txn) settle() {
	if !x.wrote {
		x.orders += x.selected
	}
	x.selected = 0
}

// endMessage ends a message: in the extended protocol a statement, in the
// simple one all that a ReadyForQuery answers.
func (x *txn) endMessage() {
	x.settle()
	x.wrote = false
}

// forget drops what is not committed.
func (x *txn) forget() {
	x.orders, x.selected = 0, 0
	x.savepoints = x.savepoints[:0]
}

// complete takes the tag of a transaction command and returns the orders that
// it committed. Once COMMIT's tag has come, the commit is durable, whatever
// comes after it; the tags of other statements come before their commit.
func (x *txn) complete(p sqlPart, tag []byte) (committed int64) {
	switch string(wire.CommandTag(tag)) {
	case "COMMIT":
		x.settle()
		committed = x.orders
		x.forget()
		x.block = p.chain
	case "ROLLBACK": // also the answer to COMMIT in a failed block
		if p.kind == rollbackToSQL {
			x.backTo(p.name)
			return 0
		}
		x.forget()
		x.block = p.chain
	case "BEGIN", "START TRANSACTION":
		x.block = true
	case "SAVEPOINT":
		x.settle()
		x.savepoints = append(x.savepoints, savepoint{p.name, x.orders})
	case "RELEASE":
		if i := x.find(p.name); i >= 0 {
			x.savepoints = x.savepoints[:i]
		}
	case "PREPARE TRANSACTION":
		x.settle()
		x.prepared += x.orders
		x.forget()
		x.block = false
	case "COMMIT PREPARED":
		committed, x.prepared = x.prepared, 0
	case "ROLLBACK PREPARED":
		x.prepared = 0
	}
	return committed
}

// ready takes a ReadyForQuery with the server's transaction status and returns
// the orders that an implicit transaction committed. failed says that an error
// came since the last one: then that transaction was rolled back.
func (x *txn) ready(status byte, failed bool) (committed int64) {
	x.endMessage()
	x.block = status != 'I'
	if x.block {
		return 0
	}
	if !failed {
		committed = x.orders
	}
	x.forget()
	return committed
}

func (x *txn) find(name string) int {
	for i := len(x.savepoints) - 1; i >= 0; i-- {
		if x.savepoints[i].name == name {
			return i
		}
	}
	return -1
}

func (x *txn) backTo(name string) {
	x.selected = 0
	if i := x.find(name); i >= 0 {
		x.orders = x.savepoints[i].orders
		x.savepoints = x.savepoints[:i+1]
	}
}

// flight is a statement that was sent and whose reply has not come.
type flight struct {
	sqlPart
	counts bool
	most   int64 // orders that it does at most; unbounded if unknown
}

// unbounded is a number of orders of which no upper bound is known.
const unbounded = -1

// doubt is what a lost connection leaves open: orders of which it is unknown
// whether they were committed, and whether that number is only a lower bound.
type doubt struct {
	orders int64
	open   bool // some statement may have done more orders than are counted here
}

func (d *doubt) add(o doubt) {
	d.orders += o.orders
	d.open = d.open || o.open
}

// lost returns what may have been committed of the groups that were sent, each
// up to a Sync or one simple message, if the server went on without being
// heard. failed says that an error in the first group has been seen: the
// server skips the rest of it.
func (x *txn) lost(groups [][]flight, failed bool) doubt {
	var out, pending doubt
	x.settle()
	pending.orders = x.orders
	block, prepared := x.block, doubt{orders: x.prepared}
	type mark struct {
		name string
		doubt
	}
	var marks []mark
	for _, s := range x.savepoints {
		marks = append(marks, mark{s.name, doubt{orders: s.orders}})
	}
	find := func(name string) int {
		for i := len(marks) - 1; i >= 0; i-- {
			if marks[i].name == name {
				return i
			}
		}
		return -1
	}
	end := func(d doubt, chain bool) {
		out.add(d)
		pending, block, marks = doubt{}, chain, nil
	}
	for i, g := range groups {
		if i == 0 && failed {
			// A failed block can be saved only by going back to a savepoint.
			pending = doubt{}
			if n := len(marks); n > 0 {
				pending = marks[n-1].doubt
			}
			continue
		}
		for _, f := range g {
			switch f.kind {
			case beginSQL:
				block = true
			case commitSQL:
				end(pending, f.chain)
			case rollbackSQL:
				end(doubt{}, f.chain)
			case savepointSQL:
				marks = append(marks, mark{f.name, pending})
			case rollbackToSQL:
				if i := find(f.name); i >= 0 {
					pending, marks = marks[i].doubt, marks[:i+1]
				}
			case releaseSQL:
				if i := find(f.name); i >= 0 {
					marks = marks[:i]
				}
			case prepareTransactionSQL:
				prepared.add(pending)
				end(doubt{}, false)
			case commitPreparedSQL:
				out.add(prepared)
				prepared = doubt{}
			case rollbackPreparedSQL:
				prepared = doubt{}
			default:
				if f.counts && f.most == unbounded {
					pending.open = true
				} else if f.counts {
					pending.orders += f.most
				}
			}
		}
		if !block {
			end(pending, false)
		}
	}
	out.add(prepared) // it may still be committed
	return out
}
