package report

import (
	"math"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// deadlocks says how often the server ended a transaction to break a deadlock,
// and what became of those transactions. pgbench's block has retries only
// where they were asked for, and does not tell their causes apart.
func (p *page) deadlocks(r *result.Run) {
	if r.Deadlocks == 0 {
		return
	}
	text := amount.Grouped(r.Deadlocks)
	if r.DurationS > 0 {
		text += ", " + rate(float64(r.Deadlocks)/r.DurationS) + "/s"
	}
	text += "; " + amount.Count(r.Retried, "transaction") + " tried again, " + amount.Grouped(r.Failures.Deadlock) + " given up"
	p.wrap(padRight("deadlocks", labelWidth), strings.Repeat(" ", labelWidth), caution, text)
}

// retryColumns are those of runs in which transactions were repeated; none
// where there are not any.
func (k *ranking) retryColumns(newColumn func(title string, right bool, leftOut int, cell func(*entry) string) column) []column {
	var columns []column
	for _, c := range []struct {
		title string
		n     func(*result.Run) int64
	}{
		{"deadlocks", func(r *result.Run) int64 { return r.Deadlocks }},
		// Where every retry followed a deadlock, the column says nothing new.
		{"retries", func(r *result.Run) int64 {
			if r.Retries+r.Failures.Deadlock == r.Deadlocks {
				return 0
			}
			return r.Retries
		}},
	} {
		seen := false
		for i := range k.entries {
			for _, r := range k.entries[i].runs {
				seen = seen || c.n(r) > 0
			}
		}
		if seen {
			columns = append(columns, newColumn(c.title, true, 7, func(e *entry) string {
				return amount.Grouped(int64(math.Round(spreadOf(e.runs, func(r *result.Run) float64 { return float64(c.n(r)) }).median)))
			}))
		}
	}
	return columns
}
