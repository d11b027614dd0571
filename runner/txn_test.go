package runner

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
func (m *model) run(p sqlPart, n int64) (tag string) {
	switch p.kind {
	case beginSQL:
		m.block = true
		return "BEGIN"
	case commitSQL:
		m.committed += m.open
		m.open, m.marks, m.block = 0, nil, p.chain
		return "COMMIT"
	case rollbackSQL:
		m.open, m.marks, m.block = 0, nil, p.chain
		return "ROLLBACK"
	case savepointSQL:
		m.marks = append(m.marks, savepoint{p.name, m.open})
		return "SAVEPOINT"
	case rollbackToSQL, releaseSQL:
		for i := len(m.marks) - 1; i >= 0; i-- {
			if m.marks[i].name == p.name && p.kind == releaseSQL {
				m.marks = m.marks[:i]
				return "RELEASE"
			} else if m.marks[i].name == p.name {
				m.open, m.marks = m.marks[i].orders, m.marks[:i+1]
				return "ROLLBACK"
			}
		}
		panic("no such savepoint")
	case prepareTransactionSQL:
		m.prepared += m.open
		m.open, m.marks, m.block = 0, nil, false
		return "PREPARE TRANSACTION"
	case commitPreparedSQL:
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
func drawPart(t *rapid.T, m *model) sqlPart {
	kinds := []sqlPart{{}, {}, {kind: callSQL}}
	if m.block {
		kinds = append(kinds, sqlPart{kind: commitSQL}, sqlPart{kind: commitSQL, chain: true}, sqlPart{kind: rollbackSQL}, sqlPart{kind: rollbackSQL, chain: true},
			sqlPart{kind: savepointSQL, name: "a"}, sqlPart{kind: savepointSQL, name: "b"}, sqlPart{kind: prepareTransactionSQL})
		for _, s := range m.marks {
			kinds = append(kinds, sqlPart{kind: rollbackToSQL, name: s.name}, sqlPart{kind: releaseSQL, name: s.name})
		}
	} else {
		kinds = append(kinds, sqlPart{kind: beginSQL}, sqlPart{kind: beginSQL}, sqlPart{kind: commitPreparedSQL})
	}
	return rapid.SampledFrom(kinds).Draw(t, "statement")
}

// TestTransactionsAreFollowed runs random statements against a model, in groups
// as a pipeline sends them, loses the connection after a random reply, and asks
// what was acknowledged and what is in doubt: the truth lies in between.
func TestTransactionsAreFollowed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m model
		var x txn
		var acknowledged int64
		heard := rapid.IntRange(0, 30).Draw(t, "replies heard")
		reply := func(f func()) {
			if heard--; heard >= 0 {
				f()
			}
		}
		var lost [][]flight
		for range rapid.IntRange(1, 8).Draw(t, "groups") {
			var unheard []flight
			for range rapid.IntRange(1, 4).Draw(t, "statements") {
				p := drawPart(t, &m)
				n := int64(0)
				if p.kind == plainSQL || p.kind == callSQL {
					n = rapid.Int64Range(0, 3).Draw(t, "orders")
				}
				tag := []byte(m.run(p, n))
				f := flight{sqlPart: p, counts: n > 0, most: 3}
				unheard = append(unheard, f)
				reply(func() {
					unheard = unheard[1:]
					x.done(wire.CommandRows(tag), wire.CommandWrites(tag))
					x.endMessage()
					acknowledged += x.complete(p, tag)
				})
			}
			status := m.sync()
			heardSync := false
			reply(func() {
				heardSync = true
				acknowledged += x.ready(status, false)
			})
			if !heardSync {
				lost = append(lost, unheard)
			}
		}
		d := x.lost(lost, false)
		if acknowledged > m.committed || m.committed+m.prepared > acknowledged+d.orders {
			t.Fatalf("committed %d, acknowledged %d, in doubt %d", m.committed, acknowledged, d.orders)
		}
		if len(lost) == 0 && (acknowledged != m.committed || d.orders != m.prepared) {
			t.Fatalf("all replies came: committed %d, acknowledged %d", m.committed, acknowledged)
		}
		if d.open {
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
		var x txn
		var got int64
		for _, tag := range c.tags {
			x.done(wire.CommandRows([]byte(tag)), wire.CommandWrites([]byte(tag)))
			got += x.complete(sqlPart{}, []byte(tag))
		}
		if got += x.ready('I', false); got != c.want {
			t.Errorf("%q: %d orders, want %d", c.tags, got, c.want)
		}
	}
}
