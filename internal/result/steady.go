package result

// Steady is what a run with producers says beyond the two groups' own
// statistics: how long orders waited and whether the queue was kept short.
// Times are of all orders that came during the measured part of the run, read
// from the tables. Orders that were seeded or came during the warm-up count in
// Depth and Waiting, but in no time.
type Steady struct {
	// TimedOrders is the number of orders that QueueTime and EndToEnd are of;
	// TimedWaiting of them had not been taken at the end and TimedUnfinished were
	// not done, so that their times are known to be at least their age only.
	TimedOrders     int64 `json:"timed_orders"`
	TimedWaiting    int64 `json:"timed_waiting,omitempty"`
	TimedUnfinished int64 `json:"timed_unfinished,omitempty"`
	// QueueTime is from the clock_timestamp() of the INSERT (the producer's
	// COMMIT, after which the order is visible, is part of it) to the end of the
	// statement that took the order. Orders that still wait count with their age
	// at the end, so each value is a lower bound; the standard deviation is that
	// of these ages and bounds nothing.
	QueueTime *Latency `json:"queue_time_ms,omitempty"`
	// QueueTimeAtMost are the upper bounds; nil where QueueTime is exact.
	QueueTimeAtMost *Bounds `json:"queue_time_at_most_ms,omitempty"`
	// EndToEnd is from the same start to the statement that recorded the order
	// as done; nil where the tables do not say.
	EndToEnd       *Latency `json:"end_to_end_ms,omitempty"`
	EndToEndAtMost *Bounds  `json:"end_to_end_at_most_ms,omitempty"`
	// Waiting is the number of all orders that had not been taken at the end. The
	// oldest of them had waited for OldestMS, counted from the start of the
	// clients where it came before.
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
	// SlopePerS is the trend in orders per second with its 95% confidence
	// interval; nil where there are too few intervals to tell.
	SlopePerS *Estimate `json:"slope_per_s,omitempty"`
}

// QueueTimeOf is a value of the queue time in milliseconds, such as its p99, as
// what is known of it: an interval that is exact where waiting orders cannot
// change it and has no upper end where they alone decide it. False without any.
func (s *Steady) QueueTimeOf(value func(*Latency) float64) (Estimate, bool) {
	if s == nil {
		return Estimate{}, false
	}
	return between(s.QueueTime, s.QueueTimeAtMost, value)
}

// EndToEndOf is QueueTimeOf for the time from the INSERT until the order was done.
func (s *Steady) EndToEndOf(value func(*Latency) float64) (Estimate, bool) {
	if s == nil {
		return Estimate{}, false
	}
	return between(s.EndToEnd, s.EndToEndAtMost, value)
}

func between(low *Latency, high *Bounds, value func(*Latency) float64) (Estimate, bool) {
	if low == nil {
		return Estimate{}, false
	}
	e := Exactly(value(low))
	if high != nil {
		e.High = value((*Latency)(high))
	}
	return e, true
}
