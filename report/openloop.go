package report

import (
	"fmt"
	"math"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// droppedStarts says how many starts of an open loop were never made, "" where
// none were. The schedule's moments are random, so that a difference within
// their scatter is none.
func droppedStarts(r *result.Run) string {
	if !r.OpenLoop || r.Drained || r.Interrupted || r.WantDurationS == 0 {
		return ""
	}
	const sure = 3 // standard deviations
	due := r.Rate * r.WantDurationS
	dropped := due - float64(r.Transactions+r.Failed()+r.Skipped)
	if dropped <= sure*math.Sqrt(due) {
		return ""
	}
	return fmt.Sprintf("about %s of %s starts were dropped: all %d clients were busy; raise --max-clients, or the server bears no more",
		amount.Grouped(int64(dropped)), amount.Grouped(int64(due)), r.Clients)
}

// BusyClients is how many clients an open loop kept at work on average, by
// Little's law: the rate times the time that each transaction took.
func BusyClients(r *result.Run) float64 {
	took := r.AllLatency.Mean
	if r.Lag != nil {
		took -= r.Lag.Mean
	}
	return max(0, r.TPS*took/1000)
}
