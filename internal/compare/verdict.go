package compare

import (
	"math"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// margins are the tolerated differences as logs of the ratio new/base, turned
// so that positive is worse; twice is that of result.Twice the slowdown.
type margins struct{ slower, faster, twice float64 }

// marginsFor gives a slowdown of 5% its meaning for the metric: 0.95 of the
// throughput, or 1.05 of the time.
func marginsFor(maxSlowdown float64, higherIsBetter bool) margins {
	if higherIsBetter {
		return margins{-math.Log1p(-maxSlowdown), math.Log1p(maxSlowdown), -math.Log1p(-result.Twice(maxSlowdown, result.HigherIsBetter))}
	}
	return margins{math.Log1p(maxSlowdown), -math.Log1p(-maxSlowdown), math.Log1p(result.Twice(maxSlowdown, result.LowerIsBetter))}
}

// evidence is what the data say about one hypothesis; all on the log scale,
// positive is worse.
type evidence struct {
	loss float64
	ci   interval
	// Against no difference, adjusted.
	pSlower, pFaster float64
	// Against the tolerated difference.
	pBeyondSlower, pBeyondFaster float64
}

// beyondLevel is the level at which a difference must be beyond the tolerated
// one. It is no proof, only somewhat more than likely; compare doc.go.
const beyondLevel = 0.4

// judge gives the verdict, except for what Inconclusive would need. A difference
// counts if none is excluded at alpha and the tolerated one at beyond.
func judge(e evidence, m margins, alpha, beyond float64, higherIsBetter bool) result.Outcome {
	o := result.Outcome{Verdict: result.Inconclusive, NotSlower: e.ci.hi <= m.slower, NotTwiceSlower: e.ci.hi <= m.twice}
	switch {
	case e.pSlower <= alpha && e.pBeyondSlower <= beyond:
		o.Verdict = result.Slower
	case e.pFaster <= alpha && e.pBeyondFaster <= beyond:
		o.Verdict = result.Faster
	case o.NotSlower && e.ci.lo >= -m.faster:
		o.Verdict, o.Within = result.Same, within(e.ci, higherIsBetter)
	}
	return o
}

// within is the largest difference that an interval of losses leaves open, as a
// part of the old value.
func within(ci interval, higherIsBetter bool) float64 {
	lo, hi := ci.lo, ci.hi
	if higherIsBetter {
		lo, hi = -hi, -lo
	}
	return max(math.Expm1(hi), -math.Expm1(lo))
}

// powerOfMore is the probability of a verdict that More is worked out for.
const powerOfMore = 0.8

// samplesNeeded is the number of samples with which a difference like the one
// seen would be decided with powerOfMore: by the normal approximation, where sd
// is the standard deviation of a difference of two runs.
func samplesNeeded(loss, sd float64, m margins, alpha, tail float64) int {
	distance, z := min(m.slower-loss, m.faster+loss), stats.NormalQuantile(1-2*tail)
	if loss > m.slower || loss < -m.faster {
		distance, z = math.Abs(loss), stats.NormalQuantile(1-2*alpha)
	}
	n := math.Pow(sd*(z+stats.NormalQuantile(2*powerOfMore-1))/distance, 2)
	if !(n < result.MoreCap) {
		return result.MoreCap
	}
	return int(math.Ceil(n))
}
