package capacity

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

type truth struct{ lambda, sigma, kappa float64 }

func (u truth) at(n float64) float64 {
	return u.lambda * n / (1 + u.sigma*(n-1) + u.kappa*n*(n-1))
}

func (u truth) knee() float64 {
	if u.kappa == 0 {
		return math.Inf(1)
	}
	return math.Max(1, math.Sqrt(math.Max(0, 1-u.sigma)/u.kappa))
}

var doubling = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}

// noisy measures a curve with relative noise, each count several times.
func noisy(rng *rand.Rand, curve func(float64) float64, counts []int, repeats int, noise float64) []Observation {
	var out []Observation
	for range repeats {
		for _, n := range counts {
			out = append(out, Observation{Clients: n, OrdersPerS: curve(float64(n)) * (1 + noise*rng.NormFloat64())})
		}
	}
	return out
}

func TestFitRecoversSyntheticCurves(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		name    string
		u       truth
		counts  []int
		repeats int
	}{
		{"contention and coherency", truth{1200, 0.05, 0.0004}, doubling, 1},
		{"repeated", truth{1200, 0.05, 0.0004}, doubling, 3},
		{"little contention", truth{300, 0.01, 0.0001}, doubling, 2},
		{"heavy contention", truth{2500, 0.6, 0.002}, doubling, 2},
		{"no contention", truth{900, 0, 0.0005}, doubling, 2},
		{"no coherency", truth{900, 0.08, 0}, doubling, 2},
		{"linear", truth{900, 0, 0}, doubling, 2},
		{"few counts", truth{1200, 0.05, 0.002}, []int{1, 4, 8, 16, 32, 64}, 1},
		{"knee beyond the last count", truth{500, 0.02, 0.00001}, doubling, 2},
		{"best alone", truth{500, 0.9, 0.2}, doubling, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			trials := 100
			if i < 2 {
				trials = 500
			}
			all, misfits := 0, 0
			var each [4]int
			for range trials {
				f, err := FitUSL(noisy(rng, c.u.at, c.counts, c.repeats, 0.05))
				if err != nil {
					t.Fatal(err)
				}
				held := true
				for j, e := range []struct {
					result.Estimate
					truth float64
				}{{f.Lambda, c.u.lambda}, {f.Sigma, c.u.sigma}, {f.Kappa, c.u.kappa}, {f.Knee, c.u.knee()}} {
					if e.Holds(e.truth) {
						each[j]++
					} else {
						held = false
					}
				}
				if held {
					all++
				}
				if f.Misfit != "" {
					misfits++
				}
			}
			t.Logf("all four %d, each %v, misfits %d", all, each, misfits)
			if all < trials*95/100 {
				t.Errorf("all four intervals held in %d of %d trials; λ σ κ knee: %v", all, trials, each)
			}
			if misfits > trials*3/100 {
				t.Errorf("a true USL curve was called a misfit in %d of %d trials", misfits, trials)
			}
		})
	}
}

// Intervals that hold because they are endless would be of no use.
func TestFitIntervalsAreUseful(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	u := truth{1200, 0.05, 0.0004}
	var lambda, knee float64
	const trials = 100
	for range trials {
		f, err := FitUSL(noisy(rng, u.at, doubling, 3, 0.05))
		if err != nil {
			t.Fatal(err)
		}
		lambda += f.Lambda.Relative() / trials
		knee += f.Knee.Relative() / trials
		if f.R2 < 0.9 {
			t.Errorf("R² %g of a true curve", f.R2)
		}
	}
	t.Logf("mean relative half width: λ %.3f, knee %.3f", lambda, knee)
	if lambda > 0.15 || knee > 0.20 {
		t.Errorf("mean relative half width: λ %.3f, knee %.3f", lambda, knee)
	}
}

// notUSL are throughputs that no curve of the family passes through.
var notUSL = map[string]func(float64) float64{
	"plateau then cliff": func(n float64) float64 {
		if n > 64 {
			return 1500
		}
		return truth{1000, 0.2, 0}.at(n)
	},
	"two regimes": func(n float64) float64 {
		if n <= 8 {
			return 400 * n
		}
		return 1300 + 2*n
	},
	"retrograde step": func(n float64) float64 {
		x := truth{1000, 0.05, 0}.at(n)
		if n >= 16 {
			x *= 0.55
		}
		return x
	},
	"late rise": func(n float64) float64 {
		if n >= 64 {
			return 100 * n
		}
		return truth{1000, 0.5, 0}.at(n)
	},
}

func TestFitCallsOtherCurvesSo(t *testing.T) {
	t.Parallel()
	for name, curve := range notUSL {
		for _, repeats := range []int{2, 3} {
			t.Run(fmt.Sprint(name, " ", repeats), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(3, uint64(repeats)))
				found := 0
				const trials = 200
				for range trials {
					f, err := FitUSL(noisy(rng, curve, doubling, repeats, 0.05))
					if err != nil {
						t.Fatal(err)
					}
					if f.Misfit != "" {
						found++
					}
				}
				if found < trials*95/100 {
					t.Errorf("called so in %d of %d trials", found, trials)
				}
			})
		}
	}
}

func TestMisfitSaysWhere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	f, err := FitUSL(noisy(rng, notUSL["plateau then cliff"], doubling, 3, 0.02))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(f.Misfit)
	for _, want := range []string{"from 64 to 128 clients", "falls by 6", "does not describe"} {
		if !strings.Contains(f.Misfit, want) {
			t.Errorf("no %q in: %s", want, f.Misfit)
		}
	}
}

func TestMisfitByTheRunsOwnErrorsAndByScatter(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"own errors": true, "scatter": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(4, 4))
			for shape, curve := range map[string]func(float64) float64{"cliff": notUSL["plateau then cliff"], "": truth{1000, 0.05, 0.0003}.at} {
				points := noisy(rng, curve, doubling, 1, 0.02)
				for i := range points {
					if known {
						points[i].StdErr = 0.02 * points[i].OrdersPerS
					}
				}
				f, err := FitUSL(points)
				if err != nil {
					t.Fatal(err)
				}
				if (f.Misfit != "") != (shape != "") {
					t.Errorf("%q: misfit %q", shape, f.Misfit)
				}
			}
		})
	}
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	u := truth{1000, 0.1, 0.001}
	rng := rand.New(rand.NewPCG(5, 5))
	for name, c := range map[string]struct {
		points []Observation
		want   string
		few    bool
	}{
		"none":         {nil, "0 client counts", true},
		"three counts": {noisy(rng, u.at, []int{1, 2, 4}, 5, 0.01), "3 client counts were measured", true},
		"zero":         {append(noisy(rng, u.at, doubling, 1, 0), Observation{Clients: 3}), "0 orders/s at 3 clients", false},
		"no clients":   {append(noisy(rng, u.at, doubling, 1, 0), Observation{OrdersPerS: 1}), "starts at 1", false},
		"infinite":     {append(noisy(rng, u.at, doubling, 1, 0), Observation{Clients: 1, OrdersPerS: math.Inf(1)}), "+Inf", false},
	} {
		f, err := FitUSL(c.points)
		if f != nil || err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrTooFewPoints) != c.few {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// Without noise the fit is exact, whatever the curve, and its intervals hold
// the estimates.
func TestFitIsExactWithoutNoise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := truth{
			rapid.Float64Range(1, 1e6).Draw(t, "λ"),
			rapid.Float64Range(0, 0.95).Draw(t, "σ"),
			rapid.Float64Range(0, 0.01).Draw(t, "κ"),
		}
		f, err := FitUSL(noisy(rand.New(rand.NewPCG(1, 1)), u.at, doubling, 1, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range doubling {
			if got, want := f.Predict(float64(n)), u.at(float64(n)); math.Abs(got/want-1) > 1e-4 {
				t.Fatalf("%d clients: %g, want %g (fit %+v)", n, got, want, f)
			}
		}
		for _, e := range []result.Estimate{f.Lambda, f.Sigma, f.Kappa, f.Knee} {
			if !(e.Low <= e.Value && e.Value <= e.High) {
				t.Fatalf("interval without its estimate: %+v", e)
			}
		}
		if f.Misfit != "" {
			t.Fatal(f.Misfit)
		}
	})
}

func TestWeightsFollowTheErrors(t *testing.T) {
	t.Parallel()
	u := truth{1000, 0.1, 0.001}
	points := noisy(rand.New(rand.NewPCG(1, 1)), u.at, doubling, 1, 0)
	for i := range points {
		points[i].StdErr = 0.01 * points[i].OrdersPerS
	}
	points[3].OrdersPerS *= 1.4
	points[3].StdErr = 0.5 * points[3].OrdersPerS
	f, err := FitUSL(points)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Lambda.Value/u.lambda-1) > 0.01 {
		t.Errorf("an outlier that says itself that it is one moved λ to %g", f.Lambda.Value)
	}
}
