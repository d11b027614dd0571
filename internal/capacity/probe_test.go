package capacity

import (
	"testing"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// At a low rate one order more under way at the end of a short run is no
// growth, whether one run is looked at or several.
func TestOneOrderMoreIsNoGrowth(t *testing.T) {
	t.Parallel()
	steps := []float64{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	last := []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	const interval, rate = 0.05, 100
	for _, repeats := range [][][]float64{{steps}, {last}, {steps, steps}, {last, steps, last}} {
		var samples []result.Sample
		for _, depths := range repeats {
			if d := stats.DepthTrend(depths, interval, rate); d.Trend == stats.Growing {
				t.Errorf("%v: %s", depths, d.Reason)
			}
			samples = append(samples, result.Sample{Depths: depths, IntervalS: interval})
		}
		e, trend, allowed := new(prober).growth(samples, rate)
		if trend == stats.Growing || e.Value > allowed {
			t.Errorf("%v: %s, %g orders/s of %g allowed", repeats, trend, e.Value, allowed)
		}
	}
}
