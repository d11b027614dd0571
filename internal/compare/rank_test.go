package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Two-sided p-values as golang.org/x/perf/benchmath's AssumeNothing.Compare
// (2026-09-08) gives them. With ties on sides of unequal size the distribution
// is skewed, and its two-sided p is no longer twice that of one side: no case.
func TestRankSumAgreesWithBenchmath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x, y []float64
		p    float64
	}{
		{[]float64{103.94, 99.62, 102.69, 101.54, 102.35}, []float64{97.58, 93.81, 100.94, 99.4, 101.52}, 0.031746031746},
		{[]float64{89.24, 93.21, 105.19, 104.72, 99.62, 99.15, 104.96, 99.77, 86.02, 101.27}, []float64{90.66, 96.25, 93.76, 95.74, 97.66, 103.48, 107.41, 93.03, 100.21, 101.25}, 0.739364350819},
		{[]float64{105, 102, 99, 99, 93, 96, 90, 96, 96, 93}, []float64{87, 87, 102, 96, 93, 99, 96, 96, 93, 102}, 0.531208729351},
		{[]float64{97.4, 99.93, 90.47, 99.01, 88.7, 98.11, 97.52}, []float64{98.33, 94.87, 96.84, 96.67, 101.82, 96.89, 104.43, 96.83, 97.43, 108.84, 101.31, 97.33}, 0.650353258712},
		{[]float64{105.07, 101.86, 99.34}, []float64{92.12, 96.94, 101.61}, 0.2},
	} {
		low, high := rankSum(c.x, c.y)
		if got := min(1, 2*min(low, high)); math.Abs(got-c.p) > 1e-9 {
			t.Errorf("%v against %v: p = %.12g, want %.12g", c.x, c.y, got, c.p)
		}
	}
}

// values draws from few numbers, so that ties are frequent.
func values(t *rapid.T, name string, least, most int) []float64 {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 12), func(i int) float64 { return float64(i) }), least, most).Draw(t, name)
}

// Every way of dividing the values is equally likely under the hypothesis; so
// the p-value can be counted out.
func TestRankSumCountsPermutations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, y := values(t, "x", 1, 5), values(t, "y", 1, 5)
		all := slices.Concat(x, y)
		// Wins of y over x, with half a win for a tie.
		wins := func(in func(i int) bool) float64 {
			w := 0.0
			for i, b := range all {
				for j, a := range all {
					if in(i) && !in(j) {
						switch {
						case b > a:
							w++
						case b == a:
							w += 0.5
						}
					}
				}
			}
			return w
		}
		seen := wins(func(i int) bool { return i >= len(x) })
		var total, low, high float64
		for mask := range 1 << len(all) {
			n := 0
			for i := range all {
				n += mask >> i & 1
			}
			if n != len(y) {
				continue
			}
			w := wins(func(i int) bool { return mask>>i&1 == 1 })
			total++
			if w <= seen {
				low++
			}
			if w >= seen {
				high++
			}
		}
		gotLow, gotHigh := rankSum(x, y)
		if math.Abs(gotLow-low/total) > 1e-9 || math.Abs(gotHigh-high/total) > 1e-9 {
			t.Fatalf("P(low) = %g, P(high) = %g; counted %g, %g", gotLow, gotHigh, low/total, high/total)
		}
	})
}

func TestRankSumSwapsSides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, y := values(t, "x", 1, 40), values(t, "y", 1, 40)
		low, high := rankSum(x, y)
		high2, low2 := rankSum(y, x)
		if math.Abs(low-low2) > 1e-9 || math.Abs(high-high2) > 1e-9 {
			t.Fatalf("%g, %g against %g, %g", low, high, low2, high2)
		}
	})
}

// At the border of the two ways the approximation agrees with the exact one.
func TestNormalApproximation(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 50 {
		x, y := make([]float64, 30), make([]float64, 30)
		for j := range x {
			x[j], y[j] = math.Round(20*rng.NormFloat64()), math.Round(20*rng.NormFloat64()-float64(i)/3)
		}
		low, high := rankSum(x, y)
		ranks, _ := doubledRanks(x, y)
		w := 0
		for _, r := range ranks[30:] {
			w += r
		}
		nearLow, nearHigh := rankSumNormal(ranks, 30, w)
		// The larger of the two decides nothing.
		if math.Abs(min(low, high)-min(nearLow, nearHigh)) > 0.002 {
			t.Errorf("exact %g, %g; approximated %g, %g", low, high, nearLow, nearHigh)
		}
	}
}

// The interval holds exactly the shifts that the test does not reject.
func TestShiftIntervalInvertsTheTest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 0))
		x, y := make([]float64, rapid.IntRange(1, 12).Draw(t, "nx")), make([]float64, rapid.IntRange(1, 12).Draw(t, "ny"))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		level := rapid.SampledFrom([]float64{0.01, 0.05, 0.2}).Draw(t, "level")
		_, ci := shift(x, y, level)
		theta := rapid.Float64Range(-4, 4).Draw(t, "theta")
		moved := slices.Clone(y)
		for i := range moved {
			moved[i] -= theta
		}
		low, high := rankSum(x, moved)
		inside := ci.lo <= theta && theta <= ci.hi
		// Half a rounding error from the edge either answer is right.
		if accepted := low > level && high > level; accepted != inside && math.Abs(theta-ci.lo) > 1e-9 && math.Abs(theta-ci.hi) > 1e-9 {
			t.Fatalf("theta %g, interval %v, p %g and %g", theta, ci, low, high)
		}
	})
}

// At a level that one of the samples' orders reaches exactly, both sides do.
func TestRankSumAtTheLevel(t *testing.T) {
	t.Parallel()
	x, y := []float64{1, 2, 3}, []float64{4, 5, 6}
	if _, high := rankSum(x, y); high != 0.05 {
		t.Errorf("all of y above: p = %.17g, want 1/20", high)
	}
	if low, _ := rankSum(y, x); low != 0.05 {
		t.Errorf("all of y below: p = %.17g, want 1/20", low)
	}
}

func TestLeastRuns(t *testing.T) {
	t.Parallel()
	for _, level := range []float64{0.2, 0.05, 0.01, 0.0025, 0.01 / 16} {
		n := leastRuns(level)
		p := func(n int) float64 {
			x, y := make([]float64, n), make([]float64, n)
			for i := range n {
				x[i], y[i] = float64(i), float64(-1-i)
			}
			low, _ := rankSum(x, y)
			return low
		}
		if p(n) > level || n > 1 && p(n-1) <= level {
			t.Errorf("level %g: %d runs reach %g, %d reach %g", level, n, p(n), n-1, p(n-1))
		}
	}
}

func TestHolm(t *testing.T) {
	t.Parallel()
	// The example of R's p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"),
	// shuffled.
	got := holm([]float64{0.03, 0.01, 0.05, 0.02, 0.04})
	for i, want := range []float64{0.09, 0.05, 0.09, 0.08, 0.09} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("adjusted %d = %g, want %g", i, got[i], want)
		}
	}
}
