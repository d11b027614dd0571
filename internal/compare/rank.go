package compare

import (
	"math"
	"slices"
	"sync"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// exactLimit is the number of samples of both sides up to which the rank-sum
// distribution is enumerated; the normal approximation is good to the third
// digit long before.
const exactLimit = 60

// rankSum is the Wilcoxon-Mann-Whitney test (Mann and Whitney, Ann. Math.
// Statist. 18, 1947). It returns the probabilities, were both samples drawn
// alike, that y lies as low among the ranks as it does or lower, and as high
// or higher. Ties get mid-ranks, and the distribution is then that of the ranks
// at hand (the conditional permutation distribution). Neither sample may be empty.
func rankSum(x, y []float64) (low, high float64) {
	ranks, tied := doubledRanks(x, y)
	w := 0
	for _, r := range ranks[len(x):] {
		w += r
	}
	if len(ranks) > exactLimit {
		return rankSumNormal(ranks, len(y), w)
	}
	ways := permutations(ranks, len(y), tied)
	all, above := ways[len(ways)-1], ways[len(ways)-1]
	if w > 0 {
		above -= ways[w-1]
	}
	// Counts are divided once, at the end: 1 - 19/20 is above 0.05.
	return ways[w] / all, above / all
}

// doubledRanks ranks x and y together, in this order, times two so that
// mid-ranks stay integers.
func doubledRanks(x, y []float64) (ranks []int, tied bool) {
	all := slices.Concat(x, y)
	sorted := slices.Sorted(slices.Values(all))
	ranks = make([]int, len(all))
	for i, v := range all {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last+1 < len(sorted) && sorted[last+1] == v {
			last++
		}
		tied = tied || last > first
		ranks[i] = first + last + 2
	}
	return ranks, tied
}

// untied caches the distributions of samples without ties, which depend on
// their sizes only.
var untied sync.Map // [2]int → []float64

// permutations counts, for every doubled rank sum w, the ways to draw n of the
// ranks without replacement with a sum of at most w: the subset-sum recursion
// over the ranks.
func permutations(ranks []int, n int, tied bool) []float64 {
	key := [2]int{len(ranks), n}
	if !tied {
		if cum, ok := untied.Load(key); ok {
			return cum.([]float64)
		}
	}
	size := 2*n*len(ranks) + 1
	ways := make([][]float64, n+1) // ways[k][w]: subsets of k ranks with sum w
	for k := range ways {
		ways[k] = make([]float64, size)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, n); k >= 1; k-- {
			for w := min(size-1, 2*k*len(ranks)); w >= r; w-- {
				ways[k][w] += ways[k-1][w-r]
			}
		}
	}
	cum := ways[n]
	total := 0.0
	for w, v := range cum {
		total += v
		cum[w] = total
	}
	if !tied {
		untied.Store(key, cum)
	}
	return cum
}

func rankSumNormal(ranks []int, n, w int) (low, high float64) {
	total := float64(len(ranks))
	mean, variance := 0.0, 0.0
	for _, r := range ranks {
		mean += float64(r) / total
	}
	for _, r := range ranks {
		d := float64(r) - mean
		variance += d * d / total
	}
	if variance == 0 {
		return 1, 1
	}
	// Sampling n without replacement; one is half a rank, for continuity.
	sd := math.Sqrt(float64(n) * (total - float64(n)) / (total - 1) * variance)
	d := float64(w) - float64(n)*mean
	return stats.NormalCDF((d + 1) / sd), stats.NormalCDF(-(d - 1) / sd)
}

// interval is a range on the log scale; its ends may be infinite.
type interval struct{ lo, hi float64 }

// shift estimates by how much y lies above x: the median of all differences
// (Hodges and Lehmann, Ann. Math. Statist. 34, 1963), and the interval of shifts
// that the rank-sum test does not reject at level tail on either side (Moses;
// see Hollander and Wolfe, Nonparametric Statistical Methods, 4.3). The
// interval is infinite where the samples are too few for the level.
func shift(x, y []float64, tail float64) (float64, interval) {
	diffs := make([]float64, 0, len(x)*len(y))
	for _, b := range y {
		for _, a := range x {
			diffs = append(diffs, b-a)
		}
	}
	slices.Sort(diffs)
	k := rankQuantile(len(x), len(y), tail)
	ci := interval{math.Inf(-1), math.Inf(1)}
	if k > 0 {
		ci = interval{diffs[k-1], diffs[len(diffs)-k]}
	}
	return stats.MedianSorted(diffs), ci
}

// rankQuantile is the largest k for which U, the number of pairs in which the
// one sample is above the other, is below k with a probability of at most tail.
func rankQuantile(nx, ny int, tail float64) int {
	total := nx + ny
	if total > exactLimit {
		mean := float64(nx*ny) / 2
		sd := math.Sqrt(float64(nx*ny) * float64(total+1) / 12)
		return max(0, int(math.Floor(mean-0.5-stats.NormalQuantile(1-2*tail)*sd))+1)
	}
	ranks := make([]int, total)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	ways := permutations(ranks, ny, false)
	all := ways[len(ways)-1]
	k := 0
	for least := ny * (ny + 1) / 2; k < nx*ny && ways[2*(least+k)]/all <= tail; k++ {
	}
	return k
}

// leastRuns is the smallest number of runs a side with which the rank-sum test
// can reach the level at all: 1 in (2n choose n), when all of one side lie
// beyond all of the other.
func leastRuns(level float64) int {
	p := 1.0
	for n := 1; ; n++ {
		p *= float64(n) / float64(2*(2*n-1))
		if p <= level || n == exactLimit {
			return n
		}
	}
}

// smallestP is the smallest p-value that the rank-sum test reaches with so many
// runs: 1 in (n+m choose n).
func smallestP(n, m int) float64 {
	p := 1.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(m+i)
	}
	return p
}

// ratioOf is a difference of logs as a ratio, with the interval of Confidence.
// An end that the samples do not bound is infinite.
func ratioOf(log float64, ci interval) result.Estimate {
	e := result.Estimate{Value: math.Exp(log), Low: math.Exp(ci.lo), High: math.Exp(ci.hi), Confidence: Confidence}
	if math.IsInf(ci.lo, -1) {
		e.Low = ci.lo
	}
	return e
}
