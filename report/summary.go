package report

import (
	"qbench/internal/amount"
	"qbench/internal/result"
)

// Summary is a run in one line, for the progress of many.
func Summary(r *result.Run) string {
	line := amount.Number(r.TPS) + " tps"
	if r.CountsOrders {
		line = amount.Number(r.OrdersPerS) + " orders/s, " + line
	}
	line += ", p99 " + amount.Number(r.Latency.P99) + " ms"
	switch AuditOf(r) {
	case AuditOK:
		line += ", audit ok"
	case AuditMissing:
		line += ", NOT AUDITED"
	case AuditFailed:
		line += ", AUDIT FAILED"
	}
	if aborted := Aborted(r); aborted != "" {
		line += ", " + aborted + " aborted"
	}
	return line
}
