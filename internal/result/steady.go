package result

// Steady is what a run with producers says beyond the two groups' own
// statistics: how long orders waited and whether the queue was kept short.
// Percentiles are over all orders that came and were done during the run,
// computed from the tables.
type Steady struct {
	// TimedOrders is the number of orders that QueueTime and EndToEnd are of.
	TimedOrders int64 `json:"timed_orders"`
	// QueueTime is from the clock_timestamp() of the INSERT (so that the
	// producer's COMMIT, after which the order is visible, is part of it) to the
	// moment a consumer took the order.
	QueueTime *Latency `json:"queue_time_ms,omitempty"`
	// EndToEnd is from the same start to the statement that recorded the order.
	EndToEnd *Latency `json:"end_to_end_ms,omitempty"`
	// Waiting orders had not been taken at the end and are in no percentile; the
	// oldest of them had waited for OldestMS.
	Waiting  int64   `json:"waiting"`
	OldestMS float64 `json:"oldest_waiting_ms,omitempty"`
	Depth    Depth   `json:"depth"`
}

// Depth is the number of orders in the queue, claimed ones included, over the
// measured part of a run.
type Depth struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	Max   int64 `json:"max"` // at the ends of intervals
	// Trend is stable, growing, shrinking or undecided, and Reason says why.
	Trend  string `json:"trend"`
	Reason string `json:"reason"`
	// Growing is whether more came in than was taken out.
	Growing bool `json:"growing"`
	// SlopePerS is the trend in orders per second with its 95 % confidence
	// interval; nil where there are too few intervals to tell.
	SlopePerS *Estimate `json:"slope_per_s,omitempty"`
}
