package txn

// Flight is a statement that was sent and whose reply has not come.
type Flight struct {
	Part
	Counts bool  // it does orders
	Most   int64 // orders that it does at most; Unbounded if unknown
}

// Unbounded is a number of orders of which no upper bound is known.
const Unbounded = -1

// Doubt is what a lost connection leaves open: orders of which it is unknown
// whether they were committed, and whether that number is only a lower bound.
type Doubt struct {
	Orders int64
	Open   bool // some statement may have done more orders than are counted here
}

// Add adds o to d.
func (d *Doubt) Add(o Doubt) {
	d.Orders += o.Orders
	d.Open = d.Open || o.Open
}

// AddMost adds the orders of a statement that does at most so many.
func (d *Doubt) AddMost(orders int64) {
	if orders == Unbounded {
		d.Open = true
	} else {
		d.Orders += orders
	}
}

// Lost returns what may have been committed of the groups that were sent, each
// up to a Sync or one simple message, if the server went on without being
// heard. Orders that were prepared are part of it. failed says that an error in the first group has been seen: the
// server skips the rest of it.
func (x *Transaction) Lost(groups [][]Flight, failed bool) Doubt {
	var out, pending Doubt
	x.settle()
	pending.Orders = x.orders
	block, prepared := x.block, Doubt{Orders: x.prepared}
	type mark struct {
		name string
		Doubt
	}
	var marks []mark
	for _, s := range x.savepoints {
		marks = append(marks, mark{s.name, Doubt{Orders: s.orders}})
	}
	find := func(name string) int {
		for i := len(marks) - 1; i >= 0; i-- {
			if marks[i].name == name {
				return i
			}
		}
		return -1
	}
	end := func(d Doubt, chain bool) {
		out.Add(d)
		pending, block, marks = Doubt{}, chain, nil
	}
	for i, g := range groups {
		if i == 0 && failed {
			// A failed block can be saved only by going back to a savepoint.
			pending = Doubt{}
			if n := len(marks); n > 0 {
				pending = marks[n-1].Doubt
			}
			continue
		}
		for _, f := range g {
			switch f.Kind {
			case Begin:
				block = true
			case Commit:
				end(pending, f.Chain)
			case Rollback:
				end(Doubt{}, f.Chain)
			case Savepoint:
				marks = append(marks, mark{f.Name, pending})
			case RollbackTo:
				if i := find(f.Name); i >= 0 {
					pending, marks = marks[i].Doubt, marks[:i+1]
				}
			case Release:
				if i := find(f.Name); i >= 0 {
					marks = marks[:i]
				}
			case Prepare:
				prepared.Add(pending)
				end(Doubt{}, false)
			case CommitPrepared:
				out.Add(prepared)
				prepared = Doubt{}
			case RollbackPrepared:
				prepared = Doubt{}
			default:
				if f.Counts {
					pending.AddMost(f.Most)
				}
			}
		}
		if !block {
			end(pending, false)
		}
	}
	out.Add(prepared) // it may still be committed
	x.prepared = 0
	return out
}
