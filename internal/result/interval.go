package result

// Tick is what was done in one interval.
type Tick struct {
	AtS          float64    `json:"at_s"`     // end of the interval, since GO
	LengthS      float64    `json:"length_s"` // of the interval
	TPS          float64    `json:"tps"`      // successful transactions per second
	OrdersPerS   float64    `json:"orders_per_s"`
	Empty        int64      `json:"empty"`
	Failed       int64      `json:"failed"`
	Skipped      int64      `json:"skipped"`
	Retried      int64      `json:"retried"`
	Retries      int64      `json:"retries"`
	MeanMS       float64    `json:"mean_ms"`
	StdDevMS     float64    `json:"stddev_ms"`
	P50MS        float64    `json:"p50_ms"`
	P99MS        float64    `json:"p99_ms"`
	MaxMS        float64    `json:"max_ms"`
	LagMS        float64    `json:"lag_ms,omitempty"`         // mean
	EnqueuedPerS float64    `json:"enqueued_per_s,omitempty"` // orders the producers put in
	Depth        int64      `json:"depth"`                    // orders left in the queue at the end; -1 if unknown
	Warmup       bool       `json:"warmup,omitempty"`
	Hist         *Histogram `json:"hist,omitempty"` // latencies of the interval, 2 digits
}

// Merge adds the interval that follows t.
func (t *Tick) Merge(next Tick) {
	a, b := t.LengthS, next.LengthS
	mean := func(x, y float64) float64 { return (x*a + y*b) / (a + b) }
	if a+b > 0 {
		t.TPS, t.OrdersPerS = mean(t.TPS, next.TPS), mean(t.OrdersPerS, next.OrdersPerS)
		t.EnqueuedPerS = mean(t.EnqueuedPerS, next.EnqueuedPerS)
	}
	if n, m := float64(t.Hist.Count()), float64(next.Hist.Count()); n+m > 0 {
		t.LagMS = (t.LagMS*n + next.LagMS*m) / (n + m)
	}
	t.AtS, t.LengthS, t.Depth = next.AtS, a+b, next.Depth
	t.Empty += next.Empty
	t.Failed += next.Failed
	t.Skipped += next.Skipped
	t.Retried += next.Retried
	t.Retries += next.Retries
	t.Hist.Merge(next.Hist)
	l := t.Hist.Latency()
	t.MeanMS, t.StdDevMS, t.P50MS, t.P99MS, t.MaxMS = l.Mean, l.StdDev, l.P50, l.P99, l.Max
}
