package schema

import (
	"fmt"
	"strconv"

	"qbench/internal/result"
)

// auditCase is a row that audit.sql returns: how often an order number is in
// the seeded set, among the producers' numbers, in the queue and among the
// done, and whether it is claimed (queued, but a worker has taken it); how many
// order numbers are like this, and one of them where this is not as it should
// be.
type auditCase struct {
	Seeded, Enqueued, Queued, Done, Claimed int64
	Orders                                  int64
	Example                                 string
}

// finding counts one kind of mistake and keeps the first example.
type finding struct {
	n       int64
	example string
}

func (f *finding) add(n int64, c auditCase) {
	if n > 0 && f.n == 0 {
		f.example = c.Example
	}
	f.n += n
}

// judge decides whether what was found proves exactly-once.
func judge(seeded int64, cases []auditCase, clients *ClientCounts) *result.Audit {
	a := &result.Audit{Seeded: seeded}
	var lost, duplicated, both, foreign finding
	var enqueued int64 // orders of producers that are in a table
	for _, c := range cases {
		a.Remaining += c.Queued * c.Orders
		a.Processed += c.Done * c.Orders
		a.Orphans += c.Claimed * c.Orders
		if c.Seeded+c.Enqueued == 0 {
			foreign.add((c.Queued+c.Done)*c.Orders, c)
			continue
		}
		duplicated.add((max(c.Queued-1, 0)+max(c.Done-1, 0))*c.Orders, c)
		if c.Queued > 0 && c.Done > 0 {
			both.add(c.Orders, c)
		}
		switch found := c.Queued+c.Done > 0; {
		case c.Seeded > 0 && !found:
			lost.add(c.Orders, c)
		case c.Seeded == 0 && found:
			enqueued += c.Orders
		}
	}
	a.Lost, a.Duplicated, a.Both, a.Foreign = lost.n, duplicated.n, both.n, foreign.n

	problem := func(format string, args ...any) {
		a.Problems = append(a.Problems, fmt.Sprintf(format, args...))
	}
	for _, p := range []struct {
		finding
		what string
	}{
		{lost, "lost: in neither table"},
		{duplicated, "duplicated: more than once in one table"},
		{both, "in both tables: recorded as done, but still in the queue"},
		{foreign, "foreign: in a table, but not of the set"},
	} {
		if p.n > 0 {
			problem("%s %s (for example %s)", count(p.n), p.what, p.example)
		}
	}
	if clients != nil {
		judgeClients(a, enqueued, clients, problem)
	}
	a.OK = len(a.Problems) == 0
	return a
}

// judge is the function judge, and names the likely cause where the tables are
// unlogged and empty.
func (m *Made) judge(cases []auditCase, clients *ClientCounts) *result.Audit {
	a := judge(m.Orders, cases, clients)
	if m.Unlogged && !a.OK && a.Processed+a.Remaining == 0 {
		a.Problems = append(a.Problems, "the tables are unlogged and empty: PostgreSQL empties unlogged tables in crash recovery")
	}
	return a
}

// judgeClients holds the clients' counts against the tables'.
func judgeClients(a *result.Audit, enqueued int64, c *ClientCounts, problem func(string, ...any)) {
	a.Acknowledged, a.InDoubt, a.Enqueued, a.InDoubtUnknown = c.Acknowledged, c.InDoubt, c.Enqueued, c.InDoubtUnknown
	switch done := a.Processed - c.Before; {
	case done < c.Acknowledged:
		problem("%s acknowledged to the clients, but %d recorded as done", count(c.Acknowledged), done)
	case done > c.Acknowledged+c.InDoubt && !c.InDoubtUnknown:
		problem("%s recorded as done, but %d acknowledged to the clients and %d in doubt", count(done), c.Acknowledged, c.InDoubt)
	}
	switch enqueued -= c.EnqueuedBefore; {
	case enqueued < c.Enqueued:
		a.Lost += c.Enqueued - enqueued
		problem("%s lost after they were enqueued: %d acknowledged to the producers, but %d in the tables", count(c.Enqueued-enqueued), c.Enqueued, enqueued)
	case enqueued > c.Enqueued+c.EnqueuedInDoubt && !c.EnqueuedInDoubtUnknown:
		problem("%s of producers in the tables, but %d acknowledged to them and %d in doubt", count(enqueued), c.Enqueued, c.EnqueuedInDoubt)
	}
}

func count(orders int64) string {
	if orders == 1 {
		return "1 order"
	}
	return strconv.FormatInt(orders, 10) + " orders"
}
