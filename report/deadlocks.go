package report

import (
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
		text += ", " + amount.Number(float64(r.Deadlocks)/r.DurationS) + "/s"
	}
	text += "; " + amount.Count(r.Retried, "transaction") + " tried again, " + amount.Grouped(r.Failures.Deadlock) + " given up"
	p.wrap(padRight("deadlocks", labelWidth), strings.Repeat(" ", labelWidth), caution, text)
}
