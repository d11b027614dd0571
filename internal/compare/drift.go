package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"qbench/internal/stats"
)

// driftLevel is the accepted share of gates that are called drifting although
// the order of their runs means nothing. It is small because such a gate is
// undecided, and large enough to find with 10 runs a side what moves results.
const driftLevel = 0.01

// drift tests whether the runs of the sets depend on their order: the rank-sum
// test and its interval hold for exchangeable runs only. It looks for a trend
// within the sets (Mann, Econometrica 13, 1945; Kendall) and for runs that
// resemble the ones before them (the rank version of von Neumann's ratio; Bartels,
// J. Amer. Statist. Assoc. 77, 1982), the latter over both sets together, which has
// more power than one by one. Both hold their level for noise of any shape, and
// neither looks at what lies between the sets. Sets whose runs all lie within the
// tolerated slowdown of each other are left alone: what drifts there moves no
// verdict by more than that. base and new are on the log scale in the order of
// time. The text says what was found; "" is nothing.
func drift(base, new []float64, level, tolerated float64) string {
	if len(base) < 3 || len(new) < 3 || max(spread(base), spread(new)) <= tolerated {
		return ""
	}
	// A trend of both sets shows most in both together, one of a single set by itself.
	if p := min(1, 2*trendP(base, new), 4*trendP(base, nil), 4*trendP(nil, new)); p <= level/2 {
		return fmt.Sprintf("the runs drift, from the first to the last by %+.0f%% (base) and %+.0f%% (new) (Mann-Kendall trend test, p = %.2g)",
			100*math.Expm1(trendOf(base)), 100*math.Expm1(trendOf(new)), p)
	}
	if p := dependenceP(base, new); p <= level/2 {
		return fmt.Sprintf("runs resemble the ones before them (rank von Neumann ratio test, p = %.2g)", p)
	}
	return ""
}

func spread(values []float64) float64 { return slices.Max(values) - slices.Min(values) }

// trendOf is the change over the whole set by the median of the slopes between all
// pairs of runs (Theil and Sen).
func trendOf(values []float64) float64 {
	var slopes []float64
	for i := range values {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/float64(i-j))
		}
	}
	return stats.Median(slopes) * float64(len(values)-1)
}

// trendP is the two-sided p-value of the Mann-Kendall test on both sets: how likely
// as few or fewer inversions are, or as many, were all orders within a set alike.
// Ties count half, which makes it slightly conservative.
func trendP(base, new []float64) float64 {
	count, pairs, variance := 0.0, 0.0, 0.0
	for _, values := range [][]float64{base, new} {
		n := len(values)
		pairs += float64(n*(n-1)) / 2
		variance += float64(n*(n-1)*(2*n+5)) / 72
		for i := range values {
			for j := range i {
				switch {
				case values[j] > values[i]:
					count++
				case values[j] == values[i]:
					count += 0.5
				}
			}
		}
	}
	fewer := min(count, pairs-count)
	if len(base)+len(new) > exactLimit {
		return min(1, 2*stats.NormalCDF((fewer+0.5-pairs/2)/math.Sqrt(variance)))
	}
	return min(1, 2*fewerInversions(len(base), len(new))[int(math.Ceil(fewer))])
}

// inversions caches the distributions, which depend on the sizes only.
var inversions sync.Map // [2]int → []float64

// fewerInversions is, for each k, the share of the orders of n runs and of m that
// have k inversions or fewer together: the m-th run adds 0 to m-1 of them, each as
// likely.
func fewerInversions(n, m int) []float64 {
	key := [2]int{min(n, m), max(n, m)}
	if d, ok := inversions.Load(key); ok {
		return d.([]float64)
	}
	share := []float64{1}
	for _, size := range key {
		for run := 2; run <= size; run++ {
			next := make([]float64, len(share)+run-1)
			for k, v := range share {
				for more := range run {
					next[k+more] += v / float64(run)
				}
			}
			share = next
		}
	}
	for k := 1; k < len(share); k++ {
		share[k] += share[k-1]
	}
	inversions.Store(key, share)
	return share
}

// dependenceP is the p-value of the sum of squared differences between the ranks of
// neighbouring runs, weighted so that each set counts as its number of runs: small
// sums are runs that resemble their neighbours.
func dependenceP(base, new []float64) float64 {
	v := vonNeumann(midRanks(base)) + vonNeumann(midRanks(new))
	if len(base)+len(new) > exactLimit {
		mean, variance := 0.0, 0.0
		for _, n := range []float64{float64(len(base)), float64(len(new))} {
			mean += 2 * n
			variance += n * n * 4 * (n - 2) * (5*n*n - 2*n - 9) / (5 * n * (n + 1) * (n - 1) * (n - 1))
		}
		return stats.NormalCDF((v - mean) / math.Sqrt(variance))
	}
	return dependenceDistribution(len(base), len(new)).lower(v)
}

func midRanks(values []float64) []float64 {
	doubled, _ := doubledRanks(values, nil)
	ranks := make([]float64, len(doubled))
	for i, r := range doubled {
		ranks[i] = float64(r) / 2
	}
	return ranks
}

// vonNeumann is the ratio times the number of runs; 2 is that of runs which are
// all alike.
func vonNeumann(ranks []float64) float64 {
	n := float64(len(ranks))
	neighbours, all := 0.0, 0.0
	for i, r := range ranks {
		if i > 0 {
			neighbours += (r - ranks[i-1]) * (r - ranks[i-1])
		}
		all += (r - (n+1)/2) * (r - (n+1)/2)
	}
	if all == 0 {
		return 2 * n
	}
	return n * neighbours / all
}

// simulatedNull is the distribution of a statistic over random orders, sorted.
type simulatedNull []float64

// lower is the chance of a value as low or lower, by the estimate that is never 0
// and keeps the test's level (Davison and Hinkley 1997, 4.2.5).
func (d simulatedNull) lower(v float64) float64 {
	i, _ := slices.BinarySearch(d, math.Nextafter(v*(1+1e-12), math.Inf(1)))
	return float64(i+1) / float64(len(d)+1)
}

// nulls caches the distributions, which depend on the sizes only.
var nulls sync.Map // [2]int → simulatedNull

// dependenceDistribution draws orders with a fixed seed, so that a comparison
// always says the same.
func dependenceDistribution(nb, nn int) simulatedNull {
	key := [2]int{min(nb, nn), max(nb, nn)}
	if d, ok := nulls.Load(key); ok {
		return d.(simulatedNull)
	}
	const draws = 50_000
	rng := rand.New(rand.NewPCG(uint64(key[0]), uint64(key[1])))
	d := make(simulatedNull, draws)
	for _, n := range key {
		ranks := make([]float64, n)
		for i := range ranks {
			ranks[i] = float64(i + 1)
		}
		for i := range d {
			rng.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
			d[i] += vonNeumann(ranks)
		}
	}
	slices.Sort(d)
	nulls.Store(key, d)
	return d
}
