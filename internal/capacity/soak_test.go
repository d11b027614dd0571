package capacity

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// wandering is a line with AR(1) noise and a checkpoint's dip now and then.
func wandering(rng *rand.Rand, n int, start, slope, sd, rho float64) []float64 {
	out := make([]float64, n)
	noise := 0.0
	for i := range out {
		noise = rho*noise + sd*math.Sqrt(1-rho*rho)*rng.NormFloat64()
		out[i] = start + slope*float64(i) + noise
		if i%50 == 49 {
			out[i] -= 20 * sd
		}
	}
	return out
}

func TestSoakDriftCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n          int
		slope, rho float64
	}{{120, 0, 0}, {120, 0, 0.5}, {120, -0.5, 0}, {360, 0.2, 0.5}, {2000, 0.05, 0.8}, {12, 1, 0}} {
		rng := rand.New(rand.NewPCG(21, uint64(c.n)))
		held, said := 0, 0
		const trials = 100
		for range trials {
			d := SoakDrift(10, []Series{{Name: "orders/s", Unit: "orders/s", Values: wandering(rng, c.n, 1000, c.slope, 20, c.rho)}})[0]
			if d.PerHour.Holds(c.slope * 360) {
				held++
			}
			if d.Real && c.slope == 0 {
				said++
			}
		}
		t.Logf("%+v: held %d of %d, false drifts %d", c, held, trials, said)
		if held < trials*90/100 {
			t.Errorf("%+v: the interval held in %d of %d", c, held, trials)
		}
		if said > trials*8/100 {
			t.Errorf("%+v: a drift was seen in %d of %d", c, said, trials)
		}
	}
}

func TestSoakDriftReachesItsLimit(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(22, 1))
	limit, floor := 20.0, 900.0
	ds := SoakDrift(10, []Series{
		{Name: "p99", Unit: "ms", Values: wandering(rng, 360, 10, 0.01, 0.1, 0), Limit: &limit},                         // 3.6 per hour, from 13.6
		{Name: "orders/s", Unit: "orders/s", Values: wandering(rng, 360, 1000, -0.1, 1, 0), Limit: &floor, Floor: true}, // -36 per hour, from 964
		{Name: "p95", Unit: "ms", Values: wandering(rng, 360, 10, -0.01, 0.1, 0), Limit: &limit},
		{Name: "p90", Unit: "ms", Values: wandering(rng, 360, 25, 0.01, 0.1, 0), Limit: &limit},
		{Name: "dead tuples", Unit: "rows", Values: wandering(rng, 360, 10, 0, 1, 0), Limit: &limit},
		{Name: "short", Values: []float64{1, 2, 3}},
	})
	for i, want := range []float64{6.4 / 3.6, 64.0 / 36} {
		b := ds[i].BreaksInH
		if b == nil || math.Abs(b.Value/want-1) > 0.05 || !(b.Low <= b.Value && b.Value <= b.High) {
			t.Errorf("%s breaks in %+v h, want %.2f", ds[i].Name, b, want)
		}
	}
	for i, want := range map[int]string{0: "passes 20 ms in 1.", 2: "away from its limit", 3: "already passed", 4: "no drift", 5: "too few"} {
		if !strings.Contains(ds[i].Answer, want) {
			t.Errorf("no %q in %q", want, ds[i].Answer)
		}
	}
	if ds[2].BreaksInH != nil || ds[4].BreaksInH != nil || ds[3].BreaksInH.Value != 0 {
		t.Error("a time to the limit where there is none")
	}
}

// A jump of one value in ten does not move the median slope.
func TestTheilSenResists(t *testing.T) {
	t.Parallel()
	y := make([]float64, 100)
	for i := range y {
		y[i] = 2 * float64(i)
		if i%10 == 3 {
			y[i] += 1e6 * float64(i%3)
		}
	}
	if s := theilSen(y); math.Abs(s.Value-2) > 1e-9 {
		t.Errorf("slope %+v", s)
	}
}
