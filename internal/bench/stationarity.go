package bench

import (
	"qbench/internal/result"
	"qbench/internal/stats"
)

const (
	// chance is the share of stationary runs whose windows may be taken for
	// different ones.
	chance = 0.001
	// unsteady is how many times the slowest window's rate the fastest one has
	// before a run is called not stationary. Less is what neighbours on a shared
	// machine do: for minutes on end, and so more than by chance.
	unsteady = 1.5
)

// stationarity judges by the intervals of a run whether it has one rate; nil if
// they are too few.
func stationarity(r *result.Run) *result.Stationarity {
	var rates []float64
	whole := wholeIntervals(r.Intervals, r.WarmupS)
	for _, t := range whole {
		rate := t.OrdersPerS
		if !r.CountsOrders {
			rate = t.TPS
		}
		rates = append(rates, rate)
	}
	l, ok := stats.Levels(rates)
	if !ok {
		return nil
	}
	return &result.Stationarity{
		Stationary: l.P > chance || l.High < unsteady*l.Low,
		Low:        l.Low, High: l.High, WindowS: float64(l.Window) * whole[0].LengthS, P: l.P,
	}
}

// wholeIntervals are those after the warm-up that are as long as the others: one
// may hold a part of the warm-up, and the last one is cut off by the end.
func wholeIntervals(all []result.Tick, warmupS float64) []result.Tick {
	var lengths []float64
	for _, t := range all {
		lengths = append(lengths, t.LengthS)
	}
	usual := stats.Median(lengths)
	var whole []result.Tick
	for _, t := range all {
		if !t.Warmup && t.AtS-t.LengthS > warmupS-usual/10 && t.LengthS > 0.9*usual && t.LengthS < 1.1*usual {
			whole = append(whole, t)
		}
	}
	return whole
}
