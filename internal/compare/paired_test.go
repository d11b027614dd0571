package compare

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

// play runs one paired comparison of b, ratio times as fast as a, to its end.
func play(t *testing.T, rng *rand.Rand, m host, ratio float64, o SequentialOptions) Decision {
	t.Helper()
	s, err := NewSequential(o)
	if err != nil {
		t.Fatal(err)
	}
	for next := pairs(rng, m, ratio); ; {
		if err := s.Add(next()); err != nil {
			t.Fatal(err)
		}
		if d := s.Decide(); d.Done {
			return d
		}
	}
}

func TestSequentialErrorRates(t *testing.T) {
	t.Parallel()
	// An accepted chance of 1 % shows as more than 8 of 300 once in a hundred
	// times; where the margin comes on top it stays far below.
	const chance = 100 * 8 / 300.0
	const often, seldom = 1000, 300 // comparisons
	for name, c := range map[string]struct {
		comparisons    int
		on             host
		ratio          float64
		budget         int
		slower, faster [2]float64 // least and most, per cent
		pairs          int        // at most, in 95 %
	}{
		"same, 5 %":               {often, under(normal(0.05)), 1, 30, [2]float64{0, 1}, [2]float64{0, 1}, 30},
		"same, 1 %":               {seldom, under(normal(0.01)), 1, 30, [2]float64{0, 0}, [2]float64{0, 0}, 8},
		"same, 20 %":              {seldom, under(normal(0.20)), 1, 30, [2]float64{0, chance}, [2]float64{0, chance}, 30},
		"same, outliers":          {often, under(outliers(0.05, 0.05)), 1, 30, [2]float64{0, 1}, [2]float64{0, 1}, 30},
		"same, half outliers":     {seldom, under(outliers(0.05, 0.5)), 1, 30, [2]float64{0, chance}, [2]float64{0, chance}, 30},
		"same, heavy":             {seldom, under(heavy(0.1)), 1, 30, [2]float64{0, chance}, [2]float64{0, chance}, 30},
		"same, drifting":          {seldom, under(normal(0.05), drifting(0.01)), 1, 30, [2]float64{0, 1}, [2]float64{0, 1}, 30},
		"same, drifting the most": {seldom, under(normal(0.005), drifting(0.03)), 1, 30, [2]float64{0, 0}, [2]float64{0, 0}, 30},
		"10 % slower":             {often, under(normal(0.05)), 0.9, 30, [2]float64{98, 100}, [2]float64{0, 0}, 20},
		"10 % slower, 20 pairs":   {often, under(normal(0.05)), 0.9, 20, [2]float64{95, 100}, [2]float64{0, 0}, 20},
		"10 % slower, outliers":   {often, under(outliers(0.05, 0.05)), 0.9, 30, [2]float64{93, 100}, [2]float64{0, 0}, 30},
		"10 % slower, drifting":   {seldom, under(normal(0.05), drifting(0.01)), 0.9, 30, [2]float64{98, 100}, [2]float64{0, 0}, 20},
		"10 % slower, period 4":   {seldom, under(normal(0.05), periodic(4, 2, 1, 0.05)), 0.9, 20, [2]float64{85, 100}, [2]float64{0, 0}, 20},
		"20 % slower, period 3":   {seldom, under(normal(0.05), periodic(3, 1, 1, 0.2)), 0.8, 20, [2]float64{90, 100}, [2]float64{0, 0}, 20},
		"half as fast":            {seldom, under(normal(0.05)), 0.5, 30, [2]float64{100, 100}, [2]float64{0, 0}, 9},
		"2 % slower":              {often, under(normal(0.05)), 0.98, 30, [2]float64{0, 1.5}, [2]float64{0, 0}, 30},
		"15 % faster":             {seldom, under(normal(0.05)), 1.15, 30, [2]float64{0, 0}, [2]float64{98, 100}, 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := fnv.New64()
			seed.Write([]byte(name))
			rng := rand.New(rand.NewPCG(5, seed.Sum64()))
			got := map[result.Verdict]int{}
			var pairs []int
			for range c.comparisons {
				d := play(t, rng, c.on, c.ratio, SequentialOptions{MaxSlowdown: 0.05, MaxPairs: c.budget, HigherIsBetter: true})
				got[d.Verdict]++
				pairs = append(pairs, d.Pairs)
			}
			slices.Sort(pairs)
			t.Logf("%v, %d pairs in half, %d in 95 %%", got, pairs[c.comparisons/2], pairs[c.comparisons*95/100])
			for v, limits := range map[result.Verdict][2]float64{result.Slower: c.slower, result.Faster: c.faster} {
				if p := 100 * float64(got[v]) / float64(c.comparisons); p < limits[0] || p > limits[1] {
					t.Errorf("%.1f %% say %s, want %v %%: %v", p, v, limits, got)
				}
			}
			if p := pairs[c.comparisons*95/100]; p > c.pairs {
				t.Errorf("95 %% take up to %d pairs, want at most %d", p, c.pairs)
			}
		})
	}
}

// The interval holds the truth at every look at once in 90 % of the sequences.
func TestConfidenceSequence(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for name, on := range map[string]host{
		"normal": under(normal(0.07)), "outliers": under(outliers(0.05, 0.1)), "period": under(normal(0.02), periodic(4, 2, 1, 0.3)),
		"steps": under(normal(0.02), steps(3, 0.1)), "autocorrelated": under(normal(0.01), correlated(0.9, 0.1)),
	} {
		missed := 0
		for range 200 {
			s, err := NewSequential(SequentialOptions{MaxSlowdown: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			next := pairs(rng, on, 1.3)
			for range 30 {
				if err := s.Add(next()); err != nil {
					t.Fatal(err)
				}
				if i := s.Decide().Ratio; i.Low > 1.3 || i.High < 1.3 {
					missed++
					break
				}
			}
		}
		// 20 of 200 on average at worst; more than 32 once in 400 times.
		if missed > 32 {
			t.Errorf("%s: %d of 200 sequences lose the truth", name, missed)
		}
	}
}

// With A and B exchanged the ratio is inverted and faster becomes slower.
func TestSequentialExchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := SequentialOptions{MaxSlowdown: 0.05, HigherIsBetter: rapid.Bool().Draw(t, "higher")}
		ab, err := NewSequential(o)
		if err != nil {
			t.Fatal(err)
		}
		// The other metric's direction exchanges the margins too.
		o.HigherIsBetter = !o.HigherIsBetter
		inverse, err := NewSequential(o)
		if err != nil {
			t.Fatal(err)
		}
		values := rapid.SliceOfN(rapid.Float64Range(0.2, 5), 2, 60).Draw(t, "values")
		for i := 0; i+1 < len(values); i += 2 {
			a, b := result.Exactly(values[i]), result.Exactly(values[i+1])
			switch rapid.IntRange(0, 9).Draw(t, "known") {
			case 0:
				a = result.AtLeast(a.Value)
			case 1:
				b = result.AtLeast(b.Value)
			case 2:
				b.Low /= 2
			}
			if err := ab.Add(a, b); err != nil {
				t.Fatal(err)
			}
			if err := inverse.Add(b, a); err != nil {
				t.Fatal(err)
			}
			d, e := ab.Decide(), inverse.Decide()
			if d.Verdict != e.Verdict || math.Abs(d.Ratio.Value*e.Ratio.Value-1) > 1e-9 || math.Abs(d.P-e.P) > 1e-9 {
				t.Fatalf("%+v against %+v", d, e)
			}
			if d.Ratio.Low > d.Ratio.Value*(1+1e-9) || d.Ratio.High < d.Ratio.Value*(1-1e-9) {
				t.Fatalf("the ratio is outside its interval: %v", d.Ratio)
			}
			if d.Verdict == result.Inconclusive && d.More < 1 {
				t.Fatalf("inconclusive, and asks for %d more", d.More)
			}
		}
	})
}

// Bounds that leave a ratio open win nothing: 100 pairs of which only lower
// bounds are known are neither the same nor slower, and a lower bound that is
// itself far worse is slower.
func TestSequentialOfBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b result.Estimate
		want result.Verdict
	}{
		"both known":            {result.Exactly(10), result.Exactly(10), result.Same},
		"both open":             {result.AtLeast(10), result.AtLeast(10), result.Inconclusive},
		"new open, higher":      {result.Exactly(10), result.AtLeast(100), result.Slower},
		"new open, perhaps not": {result.Exactly(10), result.AtLeast(10), result.Inconclusive},
		"old open":              {result.AtLeast(10), result.Exactly(100), result.Inconclusive},
		"old open, higher":      {result.AtLeast(100), result.Exactly(10), result.Faster},
		"wide":                  {result.Exactly(10), result.Estimate{Value: 10, Low: 5, High: 20}, result.Inconclusive},
	} {
		s, err := NewSequential(SequentialOptions{MaxSlowdown: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err := s.Add(c.a, c.b); err != nil {
				t.Fatal(err)
			}
		}
		if d := s.Decide(); d.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", name, d, c.want)
		}
	}
}

func TestSequentialRefuses(t *testing.T) {
	t.Parallel()
	for _, o := range []SequentialOptions{
		{}, {MaxSlowdown: 1}, {MaxSlowdown: -0.1}, {MaxSlowdown: math.NaN()}, {MaxSlowdown: 0.05, Alpha: 0.6},
		{MaxSlowdown: 0.05, MaxPairs: -1}, {MaxSlowdown: 0.05, MaxPairs: 8}, {MaxSlowdown: 0.05, Alpha: 0.4, MaxPairs: 3},
	} {
		if _, err := NewSequential(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	s, err := NewSequential(SequentialOptions{MaxSlowdown: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]float64{{0, 1}, {1, 0}, {-1, 1}, {math.NaN(), 1}, {1, math.Inf(1)}} {
		if s.Add(result.Exactly(p[0]), result.Exactly(p[1])) == nil {
			t.Errorf("%v is accepted", p)
		}
	}
	if d := s.Decide(); d.Done || d.Verdict != result.Inconclusive || d.Pairs != 0 || d.More < 1 {
		t.Errorf("after no pair: %+v", d)
	}
}
