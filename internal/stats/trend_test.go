package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestDepthTrendOfSimulatedQueues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		in, out float64
		seconds int
		want    Trend
		share   float64 // of the trials with that verdict, at least
		never   Trend
		wrong   float64 // of the trials with the other, at most
	}{
		{"idle", 100, 1000, 30, Stable, 0.99, Growing, 0},
		{"half busy", 500, 1000, 30, Stable, 0.99, Growing, 0.005},
		{"busy", 900, 1000, 30, Stable, 0.95, Growing, 0.02},
		{"very busy", 970, 1000, 60, Stable, 0.6, Growing, 0.05},
		{"just too much", 1050, 1000, 60, Growing, 0.95, Stable, 0.01},
		{"too much", 1200, 1000, 20, Growing, 0.99, Stable, 0},
		{"far too much", 3000, 1000, 8, Growing, 0.99, Stable, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, uint64(c.in)))
			got := map[Trend]int{}
			const trials = 400
			for range trials {
				got[DepthTrend(fluid(rng, c.in, c.out, c.seconds), 1, c.in).Trend]++
			}
			t.Log(got)
			if float64(got[c.want]) < c.share*trials || float64(got[c.never]) > c.wrong*trials {
				t.Errorf("want %s: %v", c.want, got)
			}
		})
	}
}

// The interval covers the true slope for independent errors as well as for a
// random walk, which is the point of the method.
func TestTrendSlopeCovers(t *testing.T) {
	t.Parallel()
	for rho, least := range map[float64]int{0: 93, 0.5: 93, 1: 89} {
		rng := rand.New(rand.NewPCG(12, uint64(10*rho)))
		held := 0
		const trials, slope = 1000, 3.0
		for range trials {
			series := make([]float64, 60)
			noise := 0.0
			for i := range series {
				noise = rho*noise + 10*rng.NormFloat64()
				series[i] = 100 + slope*float64(i) + noise
			}
			if trendSlope(series).Holds(slope) {
				held++
			}
		}
		t.Logf("ρ %g: %d of %d", rho, held, trials)
		if held < trials*least/100 {
			t.Errorf("ρ %g: the interval held in %d of %d", rho, held, trials)
		}
	}
}

func TestDepthTrendShapes(t *testing.T) {
	t.Parallel()
	constant := make([]float64, 20)
	falling := make([]float64, 20)
	for i := range falling {
		constant[i], falling[i] = 7, 5000-200*float64(i)
	}
	for name, c := range map[string]struct {
		depths []float64
		want   Trend
	}{"too few": {constant[:minDepths-1], Undecided}, "none": {nil, Undecided}, "constant": {constant, Stable}, "falling": {falling, Shrinking}} {
		if d := DepthTrend(c.depths, 1, 1000); d.Trend != c.want || d.Reason == "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := DepthTrend(falling, 0.5, 1000); math.Abs(d.Slope.Value+400) > 1e-6 {
		t.Errorf("in half seconds the slope is %g per second", d.Slope.Value)
	}
}

// A line added to the depths adds its slope to the estimate, whatever they are.
func TestTrendSlopeFollowsALine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		series := rapid.SliceOfN(rapid.Float64Range(0, 1e5), minDepths, 50).Draw(t, "depths")
		add := rapid.Float64Range(-100, 100).Draw(t, "slope")
		tilted := make([]float64, len(series))
		for i, v := range series {
			tilted[i] = v + add*float64(i)
		}
		a, b := trendSlope(series), trendSlope(tilted)
		if math.Abs(b.Value-a.Value-add) > 1e-3+1e-6*math.Abs(a.Value) {
			t.Fatalf("%g became %g, not %g more", a.Value, b.Value, add)
		}
	})
}

// fluid simulates the depth of a queue per interval of one second: Poisson-like
// flows in and out, and never fewer than no orders.
func fluid(rng *rand.Rand, in, out float64, seconds int) []float64 {
	var depths []float64
	depth := 0.0
	const parts = 50
	for range seconds {
		for range parts {
			a := in/parts + math.Sqrt(in/parts)*rng.NormFloat64()
			b := out/parts + math.Sqrt(out/parts)*rng.NormFloat64()
			depth = math.Max(0, depth+a-b)
		}
		depths = append(depths, math.Round(depth))
	}
	return depths
}
