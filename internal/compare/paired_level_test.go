package compare

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// trials multiplies the number of simulated comparisons of each kind.
var trials = flag.Int("compare.trials", 1, "`FACTOR`: simulate so many times as many paired comparisons")

// mostOf is what a share of p shows of n at most, but for once in a million times.
func mostOf(n int, p float64) int {
	lgamma := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	below := 0.0
	for k := range n {
		below += math.Exp(lgamma(n) - lgamma(k) - lgamma(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		if below > 1-1e-6 {
			return k
		}
	}
	return n
}

// disturbed are the machines on which equals must not be told apart.
func disturbed() map[string][]host {
	still := normal(0.05)
	all := map[string][]host{
		"normal":   {under(normal(0.01)), under(still), under(normal(0.2))},
		"heavy":    {under(heavy(0.05)), under(heavy(0.3)), under(cauchy(0.05)), under(cauchy(1))},
		"bimodal":  {under(bimodal(0.02, 0.1)), under(bimodal(0.02, 0.5)), under(bimodal(0.1, 1))},
		"outliers": {under(outliers(0.05, 0.05)), under(outliers(0.05, 0.2)), under(outliers(0.05, 0.5))},
		"drift": {under(still, drifting(0.01)), under(still, drifting(-0.05)), under(normal(0.001), drifting(0.03)),
			under(still, steps(7, 0.3)), under(still, steps(2, 0.1)), under(still, steps(31, -1))},
	}
	for _, rho := range []float64{0.3, 0.5, 0.7, 0.8, 0.9, 0.95} {
		all["autocorrelated"] = append(all["autocorrelated"], under(normal(0.01), correlated(rho, 0.1)), under(normal(0.01), correlated(-rho, 0.1)))
	}
	for period := 1; period <= 16; period++ {
		name := fmt.Sprintf("period %d", period)
		for _, phase := range []int{0, 1, period / 2} {
			for _, depth := range []float64{0.1, 0.3, 1.2} {
				for _, few := range []int{1, (period + 1) / 2} {
					all[name] = append(all[name], under(normal(0.02), periodic(period, few, phase, depth)))
				}
				all[name] = append(all[name], under(still, wave(period, phase, depth)))
			}
		}
	}
	return all
}

// Whatever happens to the host, the game on "slower" is ever won by at most
// 1% of comparisons of equals, within 40 pairs; a verdict takes more than that.
func TestLevelUnderDisturbances(t *testing.T) {
	t.Parallel()
	for name, machines := range disturbed() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed := fnv.New64()
			seed.Write([]byte(name))
			rng := rand.New(rand.NewPCG(7, seed.Sum64()))
			each := max(60, 1500/len(machines)) * *trials
			total, most := 0, 0
			for i, m := range machines {
				won := [2]int{}
				for range each {
					for side, w := range playGame(t, rng, m) {
						if w {
							won[side]++
						}
					}
				}
				for _, n := range won {
					total, most = total+n, max(most, n)
					if n > mostOf(each, DefaultAlpha) {
						t.Errorf("host %d: %d of %d comparisons of equals are won", i, n, each)
					}
				}
			}
			n := 2 * each * len(machines)
			t.Logf("%s: %d machines: %.2f%% on average, %.1f%% at worst of %d", name, len(machines), 100*float64(total)/float64(n), 100*float64(most)/float64(each), each)
			if total > mostOf(n, DefaultAlpha) {
				t.Errorf("%d of %d comparisons of equals are won", total, n)
			}
		})
	}
}

// playGame tells whether the wealth of the games on slower and faster reaches 1/alpha.
func playGame(t *testing.T, rng *rand.Rand, m host) (won [2]bool) {
	t.Helper()
	s, err := NewSequential(SequentialOptions{MaxSlowdown: 0.05, HigherIsBetter: true})
	if err != nil {
		t.Fatal(err)
	}
	next := pairs(rng, m, 1)
	for range 40 {
		if err := s.Add(next()); err != nil {
			t.Fatal(err)
		}
		for side, sign := range []float64{-1, 1} {
			won[side] = won[side] || s.logWealth(0, sign) >= -math.Log(DefaultAlpha)
		}
	}
	return won
}
