package compare

import (
	"fmt"
	"math"
)

// Verdict is what a comparison came to.
type Verdict string

// The verdicts.
const (
	Faster        Verdict = "faster"
	Slower        Verdict = "slower"
	Same          Verdict = "same"
	CannotTell    Verdict = "cannot tell"
	NotComparable Verdict = "not comparable"
)

// Outcome is a verdict with the number that belongs to it. For a cost, such as
// a latency, slower means that it is higher.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	// Within is, for Same, how far from equal the two can be, as a part of the
	// old value (0.03 for 3 %).
	Within float64 `json:"within,omitempty"`
	// More is, for CannotTell, how many more runs a side (or pairs) would
	// probably decide it; MoreCap stands for more than that.
	More int `json:"more,omitempty"`
	// NotSlower is whether a slowdown beyond the tolerated one is excluded
	// (at 5 %): the weaker statement that is enough to let a change pass.
	NotSlower bool `json:"not_slower"`
}

// MoreCap is where estimates of further runs end: nobody measures that many,
// and an estimate from so few is not worth a larger number.
const MoreCap = 1000

// Text is the outcome in words, with what More counts ("run" or "pair").
func (o Outcome) Text(unit string) string {
	switch o.Verdict {
	case Same:
		return fmt.Sprintf("same within %s %%", ceilPercent(o.Within))
	case CannotTell:
		switch {
		case o.More >= MoreCap:
			return fmt.Sprintf("cannot tell: %d+ more %ss", MoreCap, unit)
		case o.More == 1:
			return fmt.Sprintf("cannot tell: 1 more %s", unit)
		case o.More > 0:
			return fmt.Sprintf("cannot tell: %d more %ss", o.More, unit)
		}
	}
	return string(o.Verdict)
}

// ceilPercent rounds up, since "within" is a promise.
func ceilPercent(part float64) string {
	if part < 0.01 {
		return fmt.Sprintf("%.1f", math.Ceil(part*1000-1e-9)/10)
	}
	return fmt.Sprintf("%.0f", math.Ceil(part*100-1e-9))
}

// margins are the tolerated differences as logs of the ratio new/base, turned
// so that positive is worse.
type margins struct{ slower, faster float64 }

// marginsFor gives a slowdown of 5 % its meaning for the metric: 0.95 of the
// throughput, or 1.05 of the time.
func marginsFor(maxSlowdown float64, higherIsBetter bool) margins {
	if higherIsBetter {
		return margins{-math.Log1p(-maxSlowdown), math.Log1p(maxSlowdown)}
	}
	return margins{math.Log1p(maxSlowdown), -math.Log1p(-maxSlowdown)}
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

// judge gives the verdict, except for what CannotTell would need. A difference
// counts if none is excluded at alpha and the tolerated one at beyond.
func judge(e evidence, m margins, alpha, beyond float64, higherIsBetter bool) Outcome {
	o := Outcome{Verdict: CannotTell, NotSlower: e.ci.hi <= m.slower}
	switch {
	case e.pSlower <= alpha && e.pBeyondSlower <= beyond:
		o.Verdict = Slower
	case e.pFaster <= alpha && e.pBeyondFaster <= beyond:
		o.Verdict = Faster
	case o.NotSlower && e.ci.lo >= -m.faster:
		o.Verdict, o.Within = Same, within(e.ci, higherIsBetter)
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
	distance, z := min(m.slower-loss, m.faster+loss), normalQuantile(1-tail)
	if loss > m.slower || loss < -m.faster {
		distance, z = math.Abs(loss), normalQuantile(1-alpha)
	}
	n := math.Pow(sd*(z+normalQuantile(powerOfMore))/distance, 2)
	if !(n < MoreCap) {
		return MoreCap
	}
	return int(math.Ceil(n))
}
