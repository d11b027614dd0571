package compare

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"qbench/internal/result"
)

// noise draws the log of a run's deviation from its true throughput.
type noise func(*rand.Rand) float64

func normal(sd float64) noise {
	return func(r *rand.Rand) float64 { return sd * r.NormFloat64() }
}

// outliers is a shared machine: now and then something else runs, and the
// throughput falls to 0.3.
func outliers(sd, often float64) noise {
	return func(r *rand.Rand) float64 {
		x := sd * r.NormFloat64()
		if r.Float64() < often {
			x += math.Log(0.3)
		}
		return x
	}
}

// heavy is Student's t with 2 degrees of freedom, which has no variance.
func heavy(scale float64) noise {
	return func(r *rand.Rand) float64 { return scale * r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }
}

// simulated is a set of n runs of each of the strategies; slow[i] is the
// true throughput of strategy i relative to the baseline. Latency and CPU
// follow the throughput with noise of their own, as they do.
func simulated(rng *rand.Rand, name string, n int, of noise, slow ...float64) Set {
	s := Set{Name: name}
	for i, factor := range slow {
		for range n {
			r := &result.Run{
				Configuration: result.Configuration{Strategy: fmt.Sprintf("strategy-%d", i), Layout: "plain", Mode: "prepared", Clients: 64, WantDurationS: 10},

				DurationS: 10, CountsOrders: true, OrdersPerS: 5000 * factor * math.Exp(of(rng)),
			}
			r.TPS = r.OrdersPerS
			r.Orders, r.Transactions = int64(10*r.OrdersPerS), int64(10*r.OrdersPerS)
			r.Latency.P50 = 64e3 / r.TPS * math.Exp(0.02*rng.NormFloat64())
			r.Latency.P99 = 5 * r.Latency.P50 * math.Exp(0.2*rng.NormFloat64())
			r.Client.CPUSeconds = float64(r.Orders) * 40e-6 * math.Exp(0.03*rng.NormFloat64())
			s.Runs = append(s.Runs, r)
		}
	}
	return s
}

func allAlike(strategies int, factor float64) []float64 {
	out := make([]float64, strategies)
	for i := range out {
		out[i] = factor
	}
	return out
}

// verdicts counts what the gate says in many comparisons of n runs a side.
func verdicts(t *testing.T, comparisons, n int, of noise, slow []float64, o Options) map[result.Verdict]int {
	t.Helper()
	seed := fnv.New64()
	seed.Write([]byte(t.Name()))
	rng := rand.New(rand.NewPCG(2026, seed.Sum64()))
	got := map[result.Verdict]int{}
	base := allAlike(len(slow), 1)
	for range comparisons {
		rep, err := Compare(simulated(rng, "base", n, of, base...), simulated(rng, "new", n, of, slow...), o)
		if err != nil {
			t.Fatal(err)
		}
		got[rep.Verdict]++
	}
	return got
}

// fivePercent has throughput decide, and spares the simulations the rest.
var fivePercent = Options{MaxSlowdown: 0.05, Show: []string{"orders_per_s"}}

// allDecide has every metric decide.
var allDecide = Options{MaxSlowdown: 0.05, Gate: []string{"orders_per_s", "p50", "p99", "client_cpu_per_order"}}

// 1,000 gates of 4 strategies x 4 metrics, in which nothing changed.
func TestNoFalseAlarms(t *testing.T) {
	t.Parallel()
	// Where noise is far beyond the margin the whole of the level is used. A
	// true 1 % gives more than 10 of 1,000 every other time, and more than 18 once
	// in a hundred times.
	const chance = 18
	for name, c := range map[string]struct {
		of   noise
		n    int
		most int
	}{
		"2 %":        {normal(0.02), 10, 10},
		"5 %":        {normal(0.05), 10, 10},
		"10 %":       {normal(0.10), 10, chance},
		"30 %":       {normal(0.30), 10, chance},
		"20 %, 7":    {normal(0.20), 7, chance},
		"1 in 20":    {outliers(0.05, 0.05), 10, 10},
		"1 in 4":     {outliers(0.05, 0.25), 10, chance},
		"half":       {outliers(0.02, 0.5), 10, chance},
		"heavy":      {heavy(0.05), 10, 10},
		"very heavy": {heavy(0.20), 10, chance},
	} {
		for gate, o := range map[string]Options{"throughput": fivePercent, "all": allDecide} {
			if gate == "all" && c.most < chance { // the throughput alone uses little of the level
				continue
			}
			t.Run(name+"/"+gate, func(t *testing.T) {
				t.Parallel()
				got := verdicts(t, 1000, c.n, c.of, allAlike(4, 1), o)
				t.Log(got)
				if got[result.Slower] > c.most {
					t.Errorf("%d of 1,000 comparisons of the same thing say slower, at most %d may: %v", got[result.Slower], c.most, got)
				}
				if got[result.Faster] > c.most {
					t.Errorf("%d of 1,000 comparisons of the same thing say faster, at most %d may: %v", got[result.Faster], c.most, got)
				}
			})
		}
	}
}

func TestPower(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n     int
		of    noise
		slow  []float64
		o     Options
		want  result.Verdict
		least int // of 1,000
	}{
		"10 % slower":                        {10, normal(0.05), []float64{0.9}, fivePercent, result.Slower, 950},
		"all four 10 % slower":               {10, normal(0.05), allAlike(4, 0.9), fivePercent, result.Slower, 990},
		"all four, every metric decides":     {10, normal(0.05), allAlike(4, 0.9), allDecide, result.Slower, 950},
		"one of four":                        {10, normal(0.05), []float64{1, 1, 0.9, 1}, fivePercent, result.Slower, 850},
		"one of four, 12 runs":               {12, normal(0.05), []float64{1, 1, 0.9, 1}, fivePercent, result.Slower, 930},
		"one of four, 13 runs":               {13, normal(0.05), []float64{1, 1, 0.9, 1}, fivePercent, result.Slower, 950},
		"10 % slower with outliers":          {10, outliers(0.05, 0.05), []float64{0.9}, fivePercent, result.Slower, 800},
		"half as fast, 6 runs":               {6, normal(0.05), []float64{1, 1, 0.5, 1}, fivePercent, result.Slower, 990},
		"15 % faster":                        {10, normal(0.05), []float64{1.15}, fivePercent, result.Faster, 950},
		"same, quiet machine":                {10, normal(0.02), allAlike(4, 1), fivePercent, result.Same, 950},
		"2 % slower, quiet machine":          {10, normal(0.01), allAlike(4, 0.98), fivePercent, result.Same, 950},
		"10 % slower with 20 % tolerated":    {10, normal(0.03), []float64{0.9}, Options{MaxSlowdown: 0.2, Show: []string{"orders_per_s"}}, result.Same, 950},
		"3 runs inconclusive, however clear": {3, normal(0.05), []float64{0.5}, fivePercent, result.Inconclusive, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdicts(t, 1000, c.n, c.of, c.slow, c.o)
			t.Log(got)
			if got[c.want] < c.least {
				t.Errorf("%d of 1,000 say %s, want %d: %v", got[c.want], c.want, c.least, got)
			}
		})
	}
}

// A slowdown within what is tolerated passes. At 5 % noise and 10 runs the
// limits are as near to what any test could do as doc.go says.
func TestToleratedSlowdownPasses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n    int
		of   noise
		slow []float64
		most int // of 1,000
	}{
		"5 % noise":              {10, normal(0.05), []float64{0.98}, 50},
		"5 % noise, four":        {10, normal(0.05), allAlike(4, 0.98), 60},
		"5 % noise, one in four": {10, normal(0.05), []float64{0.98, 1, 1, 1}, 25},
		"5 % noise, 20 runs":     {20, normal(0.05), []float64{0.98}, 20},
		"3 % noise":              {10, normal(0.03), []float64{0.98}, 12},
		"3 % noise, four":        {10, normal(0.03), allAlike(4, 0.98), 30},
		"2 % noise, four":        {10, normal(0.02), allAlike(4, 0.98), 2},
		"1 % noise, four":        {10, normal(0.01), allAlike(4, 0.98), 0},
		"significant, but 3 %":   {30, normal(0.01), []float64{0.97}, 0},
		"outliers":               {10, outliers(0.05, 0.05), []float64{0.98}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdicts(t, 1000, c.n, c.of, c.slow, fivePercent)
			t.Log(got)
			if got[result.Slower] > c.most {
				t.Errorf("%d of 1,000 say slower, at most %d should: %v", got[result.Slower], c.most, got)
			}
		})
	}
}

// "inconclusive: N more runs" keeps its promise: with N more, most can tell.
func TestMoreRunsAreEnough(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	told, asked := 0, 0
	for range 200 {
		base, new := simulated(rng, "base", 6, normal(0.05), 1), simulated(rng, "new", 6, normal(0.05), 1)
		rep, err := Compare(base, new, fivePercent)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != result.Inconclusive || rep.More > 100 {
			continue
		}
		asked++
		more := 6 + rep.More
		rep, err = Compare(simulated(rng, "base", more, normal(0.05), 1), simulated(rng, "new", more, normal(0.05), 1), fivePercent)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != result.Inconclusive {
			told++
		}
	}
	if asked < 50 || told*2 < asked {
		t.Errorf("of %d comparisons that asked for more runs, %d could tell with them", asked, told)
	}
	t.Log(told, "of", asked)
}
