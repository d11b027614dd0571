package bench

import (
	"math"
	"time"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// cpuPerOrder is in microseconds.
var cpuPerOrder, _ = result.LookupMetric("client_cpu_per_order")

// sampleOf is what a run says about its point. What the warm-up did is in
// nothing of it.
func sampleOf(r *result.Run, warmup time.Duration) result.Sample {
	s := result.Sample{
		Run:       r,
		DurationS: r.DurationS, OrdersPerS: r.OrdersPerS, Drained: r.Drained, CPUShare: r.Client.CPUShare,
		Errors: r.Failed() + int64(r.AbortedClients), Latency: r.Latency,
	}
	if r.Transactions > 0 {
		s.EmptyShare = float64(r.Empty) / float64(r.Transactions)
	}
	if e, ok := cpuPerOrder.Of(r); ok {
		s.CPUPerOrder = e.Value / 1e6
	}
	if r.Producers != nil {
		s.OfferedPerS = r.Producers.OrdersPerS
	}
	if r.Steady != nil {
		s.QueueTime, s.EndToEnd = r.QueueTime, r.Steady.EndToEnd
	}
	var lengths []float64
	for _, t := range settled(r.Intervals, warmup) {
		lengths = append(lengths, t.LengthS)
		s.Rates = append(s.Rates, t.OrdersPerS)
		if t.Depth >= 0 {
			s.Depths = append(s.Depths, float64(t.Depth))
		}
	}
	s.IntervalS = stats.Median(lengths)
	return s
}

// settled are the whole intervals after the warm-up. One that began in the
// warm-up holds a part of it, and the last one is cut off by the end.
func settled(all []result.Tick, warmup time.Duration) []result.Tick {
	var out []result.Tick
	for i, t := range all {
		begin := t.AtS - t.LengthS
		early := warmup.Seconds()-begin > 0.1*t.LengthS
		cut := i == len(all)-1 && i > 0 && t.LengthS < 0.9*all[i-1].LengthS
		if !t.Warmup && !early && !cut {
			out = append(out, t)
		}
	}
	return out
}

// offered is the rate that the producers put in: the schedule's own rate where
// the count differs from it by no more than the schedule's moments are random.
// A hundred starts of a Poisson process scatter by a tenth, which says nothing
// about the producers.
func offered(counted, rate, batch, seconds float64) float64 {
	const sure = 3 // standard deviations
	if seconds > 0 && math.Abs(counted-rate) <= sure*math.Sqrt(rate*batch/seconds) {
		return rate
	}
	return counted
}
