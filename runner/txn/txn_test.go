package txn

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"qbench/runner/wire"
)

// model is a server's view of one connection: what is committed, and the open
// transaction. It knows the truth that txn has to infer.
type model struct {
	committed, open, prepared int64
	block                     bool
	marks                     []savepoint
}

// run executes a statement that does n orders, in a group of its own, and
// returns its command tag.
func (m *model) run(p Part, n int64) (tag string) {
	switch p.Kind {
	case Begin:
		m.block = true
		return "BEGIN"
	case Commit:
		m.committed += m.open
		m.open, m.marks, m.block = 0, nil, p.Chain
		return "COMMIT"
	case Rollback:
		m.open, m.marks, m.block = 0, nil, p.Chain
		return "ROLLBACK"
	case Savepoint:
		m.marks = append(m.marks, savepoint{p.Name, m.open})
		return "SAVEPOINT"
	case RollbackTo, Release:
		for i := len(m.marks) - 1; i >= 0; i-- {
			if m.marks[i].name == p.Name && p.Kind == Release {
				m.marks = m.marks[:i]
				return "RELEASE"
			} else if m.marks[i].name == p.Name {
				m.open, m.marks = m.marks[i].orders, m.marks[:i+1]
				return "ROLLBACK"
			}
		}
		panic("no such savepoint")
	case Prepare:
		m.prepared += m.open
		m.open, m.marks, m.block = 0, nil, false
		return "PREPARE TRANSACTION"
	case CommitPrepared:
		m.committed, m.prepared = m.committed+m.prepared, 0
		return "COMMIT PREPARED"
	}
	m.open += n
	return "INSERT 0 " + strconv.FormatInt(n, 10)
}

// sync ends the group.
func (m *model) sync() byte {
	if m.block {
		return 'T'
	}
	m.committed, m.open = m.committed+m.open, 0
	return 'I'
}

// drawPart draws a statement that the server accepts in its state.
func drawPart(t *rapid.T, m *model) Part {
	kinds := []Part{{}, {}, {Kind: Call}}
	if m.block {
		kinds = append(kinds, Part{Kind: Commit}, Part{Kind: Commit, Chain: true}, Part{Kind: Rollback}, Part{Kind: Rollback, Chain: true},
			Part{Kind: Savepoint, Name: "a"}, Part{Kind: Savepoint, Name: "b"}, Part{Kind: Prepare})
		for _, s := range m.marks {
			kinds = append(kinds, Part{Kind: RollbackTo, Name: s.name}, Part{Kind: Release, Name: s.name})
		}
	} else {
		kinds = append(kinds, Part{Kind: Begin}, Part{Kind: Begin}, Part{Kind: CommitPrepared})
	}
	return rapid.SampledFrom(kinds).Draw(t, "statement")
}

// TestTransactionsAreFollowed runs random statements against a model, in groups
// as a pipeline sends them, loses the connection after a random reply, and asks
// what was acknowledged and what is in Doubt: the truth lies in between.
func TestTransactionsAreFollowed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m model
		var x Transaction
		var acknowledged int64
		heard := rapid.IntRange(0, 30).Draw(t, "replies heard")
		reply := func(f func()) {
			if heard--; heard >= 0 {
				f()
			}
		}
		var lost [][]Flight
		for range rapid.IntRange(1, 8).Draw(t, "groups") {
			var unheard []Flight
			for range rapid.IntRange(1, 4).Draw(t, "statements") {
				p := drawPart(t, &m)
				n := int64(0)
				if p.Kind == Plain || p.Kind == Call {
					n = rapid.Int64Range(0, 3).Draw(t, "orders")
				}
				tag := []byte(m.run(p, n))
				f := Flight{Part: p, Counts: n > 0, Most: 3}
				unheard = append(unheard, f)
				reply(func() {
					unheard = unheard[1:]
					x.Done(wire.CommandRows(tag), wire.CommandWrites(tag))
					x.EndMessage()
					acknowledged += x.Complete(p, tag)
				})
			}
			status := m.sync()
			heardSync := false
			reply(func() {
				heardSync = true
				acknowledged += x.Ready(status, false)
			})
			if !heardSync {
				lost = append(lost, unheard)
			}
		}
		d := x.Lost(lost, false)
		if acknowledged > m.committed || m.committed+m.prepared > acknowledged+d.Orders {
			t.Fatalf("committed %d, acknowledged %d, in Doubt %d", m.committed, acknowledged, d.Orders)
		}
		if len(lost) == 0 && (acknowledged != m.committed || d.Orders != m.prepared) {
			t.Fatalf("all replies came: committed %d, acknowledged %d", m.committed, acknowledged)
		}
		if d.Open {
			t.Fatal("every statement has a bound")
		}
	})
}

func TestSelectsCountOnlyWhereNothingWrites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tags []string
		want int64
	}{
		{[]string{"SELECT 3"}, 3},
		{[]string{"SELECT 3", "INSERT 0 1", "COMMIT"}, 1},
		{[]string{"BEGIN", "SELECT 1", "DELETE 2", "SELECT 5", "COMMIT"}, 2},
		{[]string{"BEGIN", "SELECT 2", "COMMIT", "SELECT 4"}, 6},
	} {
		var x Transaction
		var got int64
		for _, tag := range c.tags {
			x.Done(wire.CommandRows([]byte(tag)), wire.CommandWrites([]byte(tag)))
			got += x.Complete(Part{}, []byte(tag))
		}
		if got += x.Ready('I', false); got != c.want {
			t.Errorf("%q: %d orders, want %d", c.tags, got, c.want)
		}
	}
}
