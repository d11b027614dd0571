package report

import (
	"fmt"

	"qbench/internal/result"
)

// Summary is a run in one line, for the progress of many.
func Summary(r *result.Run) string {
	line := fmt.Sprintf("%.1f tps", r.TPS)
	if r.CountsOrders {
		line = fmt.Sprintf("%.1f orders/s, %s", r.OrdersPerS, line)
	}
	line += fmt.Sprintf(", p99 %.3f ms", r.Latency.P99)
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
