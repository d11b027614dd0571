package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// poisson draws the number of events of a Poisson process in an interval.
func poisson(rng *rand.Rand, mean float64) float64 {
	if mean > 500 {
		return math.Round(math.Max(0, mean+math.Sqrt(mean)*rng.NormFloat64()))
	}
	n, product := -1.0, 1.0
	for limit := math.Exp(-mean); product > limit; n++ {
		product *= rng.Float64()
	}
	return n
}

// Whatever the distribution of independent values, at most as many series as P
// says have that P; and what is ordinary on a shared machine, neighbours that are
// alike, does not move the level by half.
func TestLevelsOfStationarySeries(t *testing.T) {
	t.Parallel()
	const series, level, ratio = 1000, 0.001, 1.5
	for name, draw := range map[string]func(*rand.Rand, float64) float64{
		"5 a second":          func(rng *rand.Rand, _ float64) float64 { return poisson(rng, 5) },
		"50 a second":         func(rng *rand.Rand, _ float64) float64 { return poisson(rng, 50) },
		"5000 a second":       func(rng *rand.Rand, _ float64) float64 { return poisson(rng, 5000) },
		"20% noise":           func(rng *rand.Rand, _ float64) float64 { return 1000 * (1 + 0.2*rng.NormFloat64()) },
		"heavy tails":         func(rng *rand.Rand, _ float64) float64 { return 1000 * math.Exp(0.5*rng.NormFloat64()) },
		"two modes":           func(rng *rand.Rand, _ float64) float64 { return 400 + 600*float64(rng.IntN(2)) },
		"stalls":              func(rng *rand.Rand, _ float64) float64 { return 1000 * float64(min(1, rng.IntN(20))) },
		"neighbours alike":    func(rng *rand.Rand, last float64) float64 { return 1000 + 0.6*(last-1000) + 60*rng.NormFloat64() },
		"neighbours as twins": func(rng *rand.Rand, last float64) float64 { return 1000 + 0.9*(last-1000) + 25*rng.NormFloat64() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, 11))
			alarms := 0
			for range series {
				values := make([]float64, minLevels+rng.IntN(50))
				last := 1000.0
				for i := range values {
					last = draw(rng, last)
					values[i] = last
				}
				if l, ok := Levels(values); !ok || l.P <= level && l.High >= ratio*l.Low {
					alarms++
				}
			}
			// 1 is expected at most; 6 and more come with probability 0.0006.
			if alarms > 5 {
				t.Errorf("%d of %d stationary series are called not stationary", alarms, series)
			}
		})
	}
}

// The levels of a run of 24 s between two vacuums, and other shapes, are found.
func TestLevelsThatDiffer(t *testing.T) {
	t.Parallel()
	for name, mean := range map[string]func(i, n int) float64{
		"vacuum":   func(i, n int) float64 { return []float64{18_970, 1_671, 11_054, 5_186}[4*i/n] },
		"decline":  func(i, n int) float64 { return 10_000 - 6_000*float64(i)/float64(n) },
		"one step": func(i, n int) float64 { return 4_000 + 3_000*float64(2*i/n) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 5))
			const series = 200
			found := 0
			for range series {
				values := make([]float64, 24)
				for i := range values {
					values[i] = mean(i, len(values)) * (1 + 0.1*rng.NormFloat64())
				}
				if l, ok := Levels(values); ok && l.P <= 0.001 && l.High >= 1.5*l.Low {
					found++
				}
			}
			if found < series*95/100 {
				t.Errorf("found in %d of %d series", found, series)
			}
		})
	}
	if _, ok := Levels(make([]float64, minLevels-1)); ok {
		t.Error("a level of too few values")
	}
	if l, ok := Levels(make([]float64, minLevels)); !ok || l.P != 1 || l.Window != minWindow {
		t.Errorf("of equal values: %+v", l)
	}
}
