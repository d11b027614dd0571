package bench

import (
	"math/rand/v2"
	"testing"

	"qbench/internal/result"
)

// Judged are the whole intervals after the warm-up only, orders where they are
// counted and transactions elsewhere.
func TestStationarityOfARun(t *testing.T) {
	t.Parallel()
	levels := []float64{18_970, 1_671, 11_054, 5_186}
	make24 := func(rate func(i int) float64) []result.Tick {
		rng := rand.New(rand.NewPCG(1, 1))
		ticks := []result.Tick{
			{AtS: 1, LengthS: 1, Warmup: true, OrdersPerS: 90_000, TPS: 90_000},
			{AtS: 2, LengthS: 1, OrdersPerS: 90_000, TPS: 90_000}, // holds a part of the warm-up
		}
		for i := range 24 {
			r := rate(i) * (1 + 0.05*rng.NormFloat64())
			ticks = append(ticks, result.Tick{AtS: float64(i + 3), LengthS: 1, OrdersPerS: r, TPS: 1000})
		}
		return append(ticks, result.Tick{AtS: 26.1, LengthS: 0.1, OrdersPerS: 0})
	}
	vacuum := func(i int) float64 { return levels[i/6] }
	steady := func(int) float64 { return 5_000 }
	for _, tt := range []struct {
		name       string
		ticks      []result.Tick
		counts     bool
		judged     bool
		stationary bool
	}{
		{"vacuum", make24(vacuum), true, true, false},
		{"steady", make24(steady), true, true, true},
		{"no orders are counted", make24(vacuum), false, true, true},
		{"too short", make24(vacuum)[:12], true, false, false},
		{"none", nil, true, false, false},
	} {
		r := &result.Run{Intervals: tt.ticks, CountsOrders: tt.counts}
		r.WarmupS = 1.5
		s := stationarity(r)
		if (s != nil) != tt.judged || s != nil && (s.Stationary != tt.stationary || s.WindowS != 3 || s.High > 25_000) {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if tt.name == "vacuum" && (s.Low < 1_500 || s.Low > 1_900 || s.High < 17_500) {
			t.Errorf("from %v to %v orders/s", s.Low, s.High)
		}
	}
}
