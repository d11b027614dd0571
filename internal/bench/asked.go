package bench

import "qbench/internal/result"

// Asked is what a run is asked for, as far as it bounds its metrics.
func (s Spec) Asked() *result.Asked {
	l := &s.Load
	a := &result.Asked{
		Clients: s.Clients, Transactions: int64(s.Clients) * l.Transactions,
		CountsOrders: s.Mix.CountsOrders(), Producers: s.Feed != nil, Queue: s.Mix.Workload() != "",
		Scheduled: s.Rate > 0, Limited: l.LatencyLimit > 0,
	}
	if s.Feed != nil {
		a.Clients += s.Feed.Clients
	}
	if l.Duration > 0 && l.Grace > 0 {
		a.Longest = l.Warmup + l.Duration + l.Grace
	}
	return a
}
