package report

import (
	"qbench/internal/amount"
	"qbench/internal/result"
)

// stationaryWarning says that a run has no one throughput, and its range.
func stationaryWarning(r *result.Run, warn warner) {
	t := r.Stationarity
	if t == nil || t.Stationary {
		return
	}
	unit := "orders/s"
	if !r.CountsOrders {
		unit = "transactions/s"
	}
	warn("throughput is not stationary: it ranges from %s to %s %s in windows of %s, so the average depends on when the run ends; "+
		"look for vacuum, checkpoints and other load, and run longer or with --warmup", amount.Number(t.Low), amount.Number(t.High), unit, seconds(t.WindowS))
}
