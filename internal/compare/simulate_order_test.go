package compare

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// process draws the logs of the deviations of n runs in the order of time.
type process func(rng *rand.Rand, n int) []float64

func independent(of noise) process {
	return func(rng *rand.Rand, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = of(rng)
		}
		return out
	}
}

// ramp is a machine that changes by so much from the first run to the last.
func ramp(change, sd float64) process {
	return func(rng *rand.Rand, n int) []float64 {
		out := independent(normal(sd))(rng, n)
		for i := range out {
			out[i] += math.Log1p(change) * float64(i) / float64(n-1)
		}
		return out
	}
}

// autoregressive is a machine on which each run resembles the one before it.
func autoregressive(rho, sd float64) process {
	return func(rng *rand.Rand, n int) []float64 {
		out := make([]float64, n)
		x := sd * rng.NormFloat64()
		for i := range out {
			out[i] = x
			x = rho*x + sd*math.Sqrt(1-rho*rho)*rng.NormFloat64()
		}
		return out
	}
}

// oneAfterTheOther is a base of n runs and, after it, a new set of n runs that is
// factor as fast, in one stretch of the process.
func oneAfterTheOther(rng *rand.Rand, n int, of process, factor float64) (base, new Set) {
	all := of(rng, 2*n)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	base, new = Set{Name: "base"}, Set{Name: "new"}
	for i, x := range all {
		s, f := &base, 1.0
		if i >= n {
			s, f = &new, factor
		}
		s.Runs = append(s.Runs, &result.Run{
			Configuration: result.Configuration{Strategy: "s", Mode: "prepared", Clients: 8},
			StartedAt:     at.Add(time.Duration(i) * time.Minute), CountsOrders: true, OrdersPerS: 5000 * f * math.Exp(x),
		})
	}
	return base, new
}

// shares counts verdicts, those that drift left open, and those that pass.
type shares struct{ slower, faster, same, undecided, drift, pass int }

func simulateOrder(t *testing.T, comparisons, n int, of process, factor float64) shares {
	t.Helper()
	seed := fnv.New64()
	seed.Write([]byte(t.Name()))
	rng := rand.New(rand.NewPCG(2026, seed.Sum64()))
	var got shares
	for range comparisons {
		base, new := oneAfterTheOther(rng, n, of, factor)
		c, err := Compare(base, new, fivePercent)
		if err != nil {
			t.Fatal(err)
		}
		switch c.Verdict {
		case result.Slower:
			got.slower++
		case result.Faster:
			got.faster++
		case result.Same:
			got.same++
		case result.Inconclusive:
			got.undecided++
			if c.Rows[0].Drift != "" {
				got.drift++
			}
		}
		if !c.Failed() {
			got.pass++
		}
	}
	return got
}

// TestSimulatedNoise is the table of doc.go: 1,000 comparisons each of a base of n
// runs and of n runs made after it. "slower" keeps to 1% where the order of the
// runs means nothing; how many are left undecided is another matter.
func TestSimulatedNoise(t *testing.T) {
	t.Parallel()
	const chance = 18 // of 1,000: a true 1% gives more once in a hundred times
	any := 1000
	for _, c := range []struct {
		name                   string
		of                     process
		n                      int
		factor                 float64
		mostSlower, leastDrift int
		leastSlower, mostPass  int
	}{
		{"normal 2%", independent(normal(0.02)), 10, 1, 10, 0, 0, any},
		{"normal 5%", independent(normal(0.05)), 10, 1, 10, 0, 0, any},
		{"normal 5%, 20 runs", independent(normal(0.05)), 20, 1, 10, 0, 0, any},
		{"normal 20%", independent(normal(0.20)), 10, 1, chance, 0, 0, any},
		{"heavy tails", independent(heavy(0.05)), 10, 1, chance, 0, 0, any},
		{"bimodal 40% apart", independent(bimodal(0.02, math.Log(0.6))), 10, 1, chance, 0, 0, any},
		{"outliers 1 in 20", independent(outliers(0.05, 0.05)), 10, 1, chance, 0, 0, any},
		{"normal 5%, 10% slower", independent(normal(0.05)), 10, 0.9, any, 0, 950, 30},
		{"normal 5%, 10% slower, 20 runs", independent(normal(0.05)), 20, 0.9, any, 0, 980, 10},
		{"outliers 1 in 20, 10% slower", independent(outliers(0.05, 0.05)), 10, 0.9, any, 0, 800, 150},
		// Drift and dependence between runs: found where they are strong or the runs
		// are many, and then never passed. What is left over is the reason to
		// alternate.
		{"drift of 10%", ramp(-0.1, 0.05), 10, 1, any, 20, 0, any},
		{"drift of 20%", ramp(-0.2, 0.05), 10, 1, any, 250, 0, 15},
		{"drift of 40%", ramp(-0.4, 0.05), 10, 1, 20, 980, 0, 0},
		{"drift of 20%, 20 runs", ramp(-0.2, 0.05), 20, 1, 270, 720, 0, 5},
		{"autocorrelated 0.5", autoregressive(0.5, 0.1), 10, 1, any, 100, 0, any},
		{"autocorrelated 0.8", autoregressive(0.8, 0.1), 10, 1, any, 380, 0, any},
		{"autocorrelated 0.8, 20 runs", autoregressive(0.8, 0.1), 20, 1, chance, 920, 0, 70},
		{"autocorrelated 0.8, 40 runs", autoregressive(0.8, 0.1), 40, 1, 5, 990, 0, 5},
		{"autocorrelated 0.95, 20 runs", autoregressive(0.95, 0.1), 20, 1, 5, 970, 0, 25},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			comparisons := 1000
			if c.leastSlower >= 950 { // the power that is promised, by more than chance
				comparisons = 4000
			}
			s := simulateOrder(t, comparisons, c.n, c.of, c.factor)
			for _, n := range []*int{&s.slower, &s.faster, &s.same, &s.undecided, &s.drift, &s.pass} {
				*n = *n * 1000 / comparisons
			}
			t.Logf("%-34s slower %5.1f%%  faster %5.1f%%  same %5.1f%%  inconclusive %5.1f%% (drift %5.1f%%)  passes %5.1f%%", c.name,
				float64(s.slower)/10, float64(s.faster)/10, float64(s.same)/10, float64(s.undecided)/10, float64(s.drift)/10, float64(s.pass)/10)
			if s.slower > c.mostSlower || s.slower < c.leastSlower || s.drift < c.leastDrift || s.pass > c.mostPass {
				t.Errorf("%+v; want slower %d to %d, drift %d or more, passes %d or fewer", s, c.leastSlower, c.mostSlower, c.leastDrift, c.mostPass)
			}
		})
	}
}

// Where the order means nothing, at most 1% of gates are called drifting, of any
// size.
func TestDriftKeepsItsLevel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	for _, sizes := range [][2]int{{5, 5}, {10, 10}, {6, 20}, {40, 40}} {
		for name, of := range map[string]noise{"normal": normal(0.2), "heavy": heavy(0.2), "ties": func(r *rand.Rand) float64 { return float64(r.IntN(4)) }} {
			found := 0
			for range 2000 {
				if drift(independent(of)(rng, sizes[0]), independent(of)(rng, sizes[1]), driftLevel, 0.05) != "" {
					found++
				}
			}
			// 33 or more of 2,000 are once in a hundred times a true 1 %.
			if found > 33 {
				t.Errorf("%s, %v runs: drift is found in %d of 2,000 sets without any", name, sizes, found)
			}
		}
	}
}

func TestDriftText(t *testing.T) {
	t.Parallel()
	rise := func(n int, step float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i) * step
		}
		return out
	}
	for _, c := range []struct {
		base, new []float64
		tolerated float64
		want      string
	}{
		{rise(10, 0.05), rise(10, 0.05), 0.05, "the runs drift, from the first to the last by +57% (base) and +57% (new) (Mann-Kendall trend test, p = "},
		{[]float64{0, 1, 2, 3, 4, 5, 5.1, 4.1, 3.1, 2.1, 1.1, 0.1}, []float64{5, 4, 3, 2, 1, 0, 0.1, 1.1, 2.1, 3.1, 4.1, 5.1}, 0.05, "runs resemble the ones before them (rank von Neumann ratio test, p = "},
		{rise(10, 0.001), rise(10, 0.001), 0.05, ""}, // within what is tolerated
		{rise(2, 1), rise(10, 1), 0.05, ""},
		{[]float64{0, 9, 1, 8, 2, 7}, []float64{5, 0, 6, 1, 7, 2}, 0.05, ""},
	} {
		if got := drift(c.base, c.new, driftLevel, c.tolerated); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v, %v: %q, want %q", c.base, c.new, got, c.want)
		}
	}
}

func TestTrendDistributions(t *testing.T) {
	t.Parallel()
	cum := fewerInversions(3, 3)
	for k, want := range []float64{1, 5, 13, 23, 31, 35, 36} {
		if got := cum[k] * 36; math.Abs(got-want) > 1e-9 {
			t.Errorf("%d inversions or fewer: %g of 36, want %g", k, got, want)
		}
	}
	// The normal distribution takes over where it agrees with the exact one.
	exact := fewerInversions(30, 30)
	pairs, sd := 2*435.0, math.Sqrt(2*30*29*65.0/72)
	for k := range 436 {
		if normal := stats.NormalCDF((float64(k) + 0.5 - pairs/2) / sd); math.Abs(exact[k]-normal) > 0.002 {
			t.Errorf("%d inversions or fewer: exactly %g, by the normal distribution %g", k, exact[k], normal)
		}
	}
}
