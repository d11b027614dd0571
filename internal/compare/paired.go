package compare

import (
	"fmt"
	"math"
	"slices"

	"qbench/internal/result"
)

// SequentialOptions say when a paired comparison ends.
type SequentialOptions struct {
	// MaxSlowdown and Alpha are those of Options. Alpha holds for the whole
	// sequence, however often one looks.
	MaxSlowdown float64
	Alpha       float64
	// MaxPairs is the budget; 0 is no limit.
	MaxPairs       int
	HigherIsBetter bool
}

// Sequential judges B against A by pairs of runs made right after each other in
// an Order that was tossed, and may be asked after every pair whether that was enough.
//
// The pairs' log ratios are played as a game (Shafer, J. R. Statist. Soc. A 184,
// 2021; Waudby-Smith and Ramdas, J. R. Statist. Soc. B 86, 2024). If A and B are
// alike, the two runs of a pair come out as they do whatever they are called, and
// the coin that names them decides the ratio's sign. The sign is therefore fair
// whatever the noise looks like, whether it drifts, repeats or depends on earlier
// runs (a randomisation test; Fisher, The Design of Experiments, 1935). Stakes on
// "slower" that depend on the ratio's size and on earlier pairs neither win nor
// lose on average: the wealth is a nonnegative martingale.
// By Ville's inequality (1939) it ever reaches 1/Alpha with a probability
// of at most Alpha: one may stop at any time, for any reason. The stakes are
// c·tanh(x/σ). For normal noise c = 0.8 is nearly growth-optimal once the effect is
// as large as the noise, and the bound lets no single run ruin or make the game.
//
// Simulated with 5% noise per run and 5% tolerated: a slowdown of 10% is found
// within 20 pairs in 97 to 98% of comparisons, after 12 pairs on average. A periodic
// disturbance costs power, never the level: of slowdowns of 10% are found 90% if one
// run of each pair is 5% slower, 50% if it is 10% slower, and 3% if it is 18% slower
// (72% of slowdowns of 20%).
//
// The same game with every ratio shifted by θ tests a true difference of θ; the
// differences that are not excluded at the moment are the interval (a confidence
// sequence; Howard et al., Ann. Statist. 49, 2021).
//
// Rejected: alpha spending over planned looks (Lan and DeMets, Biometrika 70, 1983),
// which needs the number of pairs beforehand, where a budget may be a time or a
// person's patience; a test at a fixed level after each pair, whose false alarms
// add up (Armitage, McPherson and Rowe, J. R. Statist. Soc. A 132, 1969); caps of 0.9
// and more, which save at most half a pair where the difference is clear, and find
// 5 in 100 slowdowns of 10% fewer where one run in twenty is an outlier; and 0.8
// alone, which finds 36 in 100 slowdowns of 10% at 20% noise within 150 pairs, where
// the mixture finds 75.
type Sequential struct {
	opts  SequentialOptions
	ratio []float64 // log(b/a)
	// low and high are the bounds of each ratio; they differ from it where only
	// bounds of a value are known. A bet on a higher ratio is played on low and one
	// on a lower ratio on high, so what is not known wins nothing.
	low, high []float64
	scale     []float64 // of the stake on each ratio, from those before it
}

// NewSequential starts a comparison. An error is a mistake in the options.
func NewSequential(o SequentialOptions) (*Sequential, error) {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	switch {
	case !(o.MaxSlowdown > 0 && o.MaxSlowdown < 1):
		return nil, fmt.Errorf("maximum slowdown %g: it must lie between 0 and 1 (5%% is 0.05)", o.MaxSlowdown)
	case !(o.Alpha > 0 && o.Alpha < 0.5):
		return nil, fmt.Errorf("level %g: it must lie between 0 and 0.5", o.Alpha)
	case o.MaxPairs != 0 && o.MaxPairs < leastPairs(o.Alpha):
		return nil, fmt.Errorf("%d pairs can never show a slowdown at a false-positive rate of %.3g%%: use %d or more",
			o.MaxPairs, 100*o.Alpha, leastPairs(o.Alpha))
	}
	return &Sequential{opts: o}, nil
}

// minPairs is the least number of pairs to judge by, whatever the level.
const minPairs = 4

// leastPairs is the number of pairs below which no result could reject at alpha:
// each can win no more than the full stake.
func leastPairs(alpha float64) int {
	for n := minPairs; ; n++ {
		var logs [3]float64
		for k, st := range stakes {
			logs[k] = float64(n) * math.Log1p(st.cap)
		}
		if mixed(logs) >= -math.Log(alpha) {
			return n
		}
	}
}

// Add takes the metric of one run of each. Both values must be positive and finite.
func (s *Sequential) Add(a, b result.Estimate) error {
	for _, e := range []result.Estimate{a, b} {
		if !(e.Value > 0 && e.Low >= 0) || math.IsInf(e.Value, 0) {
			return fmt.Errorf("pair %d: %g against %g has no ratio; a run without a single transaction cannot be compared", len(s.ratio)+1, a.Value, b.Value)
		}
	}
	s.scale = append(s.scale, s.nextScale())
	s.ratio = append(s.ratio, math.Log(b.Value)-math.Log(a.Value))
	s.low = append(s.low, math.Log(b.Low)-math.Log(a.High))
	s.high = append(s.high, math.Log(b.High)-math.Log(a.Low))
	return nil
}

// nextScale is the noise of a ratio, from those so far: the median distance from
// their median, which an outlier does not move, made a standard deviation. With
// too few it is the margin, the only size known beforehand.
func (s *Sequential) nextScale() float64 {
	if len(s.ratio) < 4 {
		return s.opts.MaxSlowdown
	}
	center := median(s.ratio)
	distances := make([]float64, len(s.ratio))
	for i, x := range s.ratio {
		distances[i] = math.Abs(x - center)
	}
	return median(distances) / normalQuantile(0.75)
}

func (s *Sequential) margins() margins { return marginsFor(s.opts.MaxSlowdown, s.opts.HigherIsBetter) }

// stakes are the largest parts of the wealth at stake on one pair, and the parts of
// the wealth that are played with them; a mixture of martingales is one. At 0.8
// nine pairs can reach 1/0.01, and three wins make up for a loss; but where the
// noise is three times the difference or more, that loses in the long run. The
// small stakes win there, and cost less than a pair elsewhere.
var stakes = []struct{ weight, cap float64 }{{0.75, 0.8}, {0.15, 0.35}, {0.1, 0.12}}

// ahead is the level at which a difference must be beyond the tolerated one: the
// game against that one must be winning. With beyondLevel in its place, 2 in 100
// slowdowns of 10 % more would be missed on a machine with outliers, and 5 in 1,000
// fewer of 2 % reported.
const ahead = 0.9

// logWealth is that of the game on ratios above theta (sign 1) or below (-1).
func (s *Sequential) logWealth(theta, sign float64) float64 {
	ratios := s.low
	if sign < 0 {
		ratios = s.high
	}
	var logs [3]float64
	products := [3]float64{1, 1, 1}
	for i, x := range ratios {
		if d := x - theta; d != 0 {
			win := sign * math.Tanh(d/s.scale[i])
			for k, st := range stakes {
				products[k] *= 1 + st.cap*win
			}
		}
		// 64 factors between 0.2 and 1.8 stay well within a float.
		if i%64 == 63 || i == len(ratios)-1 {
			for k := range products {
				logs[k], products[k] = logs[k]+math.Log(products[k]), 1
			}
		}
	}
	return mixed(logs)
}

// mixed is the log of the stakes' joint wealth.
func mixed(logs [3]float64) float64 {
	most := slices.Max(logs[:])
	sum := 0.0
	for k, st := range stakes {
		sum += st.weight * math.Exp(logs[k]-most)
	}
	return most + math.Log(sum)
}

// estimate is the median of the means of all pairs of ratios (Hodges and Lehmann):
// as little moved by outliers as the median, and nearly as precise as the mean.
func (s *Sequential) estimate() float64 {
	means := make([]float64, 0, len(s.ratio)*(len(s.ratio)+1)/2)
	for i, x := range s.ratio {
		for _, y := range s.ratio[:i+1] {
			means = append(means, (x+y)/2)
		}
	}
	slices.Sort(means)
	return medianSorted(means)
}

// Decision is what is known after some pairs.
type Decision struct {
	// Done is false while more pairs are worth running.
	Done bool `json:"done"`
	result.Outcome
	Pairs int `json:"pairs"`
	// Ratio estimates b/a; its interval holds whenever one looks.
	Ratio result.Estimate `json:"ratio"`
	// P is valid whenever one looks (1/wealth), for the direction seen.
	P float64 `json:"p"`
}

// Decide judges the pairs so far. A verdict other than Inconclusive ends the
// comparison; so does a spent budget. More is the number of pairs that would
// probably decide it, beyond the budget too.
func (s *Sequential) Decide() Decision {
	d := Decision{Pairs: len(s.ratio), Ratio: ratioOf(0, interval{math.Inf(-1), math.Inf(1)}), P: 1, Outcome: result.Outcome{Verdict: result.Inconclusive}}
	if len(s.ratio) == 0 {
		d.More = minPairs
		return d
	}
	e, logRatio, ci := s.evidence()
	d.Ratio, d.P = ratioOf(logRatio, ci), min(e.pSlower, e.pFaster)
	if d.Pairs >= minPairs {
		d.Outcome = judge(e, s.margins(), s.opts.Alpha, ahead, s.opts.HigherIsBetter)
	}
	if d.Verdict == result.Inconclusive {
		d.More = s.pairsNeeded(e.loss)
	}
	d.Done = d.Verdict != result.Inconclusive || s.opts.MaxPairs > 0 && d.Pairs >= s.opts.MaxPairs
	return d
}

func (s *Sequential) evidence() (e evidence, logRatio float64, ci interval) {
	logRatio = s.estimate()
	ci = s.confidence(logRatio)
	worse := 1.0
	e = evidence{loss: logRatio, ci: ci}
	if s.opts.HigherIsBetter {
		worse = -1
		e = evidence{loss: -logRatio, ci: interval{-ci.hi, -ci.lo}}
	}
	p := func(loss, sign float64) float64 { return min(1, math.Exp(-s.logWealth(worse*loss, worse*sign))) }
	m := s.margins()
	e.pSlower, e.pBeyondSlower = p(0, 1), p(m.slower, 1)
	e.pFaster, e.pBeyondFaster = p(0, -1), p(-m.faster, -1)
	return e, logRatio, ci
}

// confidence finds the differences that the game has not excluded. The wealth
// of a bet on "above theta" falls as theta rises, so bisection finds where it
// passes 1/tail.
func (s *Sequential) confidence(center float64) interval {
	limit := -math.Log(tail)
	spread := slices.Max(s.scale) + slices.Max(s.ratio) - slices.Min(s.ratio)
	end := func(sign float64) float64 {
		// Far out every pair wins the full stake; with too few that is too
		// little to exclude anything.
		in, out := center, center-sign*100*spread
		if s.logWealth(out, sign) < limit {
			return math.Inf(int(-sign))
		}
		if s.logWealth(in, sign) >= limit {
			return in
		}
		for range 30 {
			if mid := (in + out) / 2; s.logWealth(mid, sign) < limit {
				in = mid
			} else {
				out = mid
			}
		}
		return in
	}
	return interval{end(1), end(-1)}
}

// pairsNeeded goes on with the game as it has gone on average: the wealth must
// grow to 1/Alpha against no difference, or to 1/tail against both margins.
func (s *Sequential) pairsNeeded(loss float64) int {
	worse := 1.0
	if s.opts.HigherIsBetter {
		worse = -1
	}
	m := s.margins()
	least := max(1, minPairs-len(s.ratio))
	switch {
	case loss > m.slower:
		return max(least, s.pairsUntil(0, worse, s.opts.Alpha))
	case loss < -m.faster:
		return max(least, s.pairsUntil(0, -worse, s.opts.Alpha))
	}
	return max(least, s.pairsUntil(worse*m.slower, -worse, tail), s.pairsUntil(-worse*m.faster, worse, tail))
}

// pairsUntil is when the game on ratios above theta (sign 1) or below (-1)
// reaches 1/level.
func (s *Sequential) pairsUntil(theta, sign, level float64) int {
	wealth := s.logWealth(theta, sign)
	growth := wealth / float64(len(s.ratio))
	missing := (-math.Log(level) - wealth) / growth
	if !(growth > 0 && missing < result.MoreCap) {
		return result.MoreCap
	}
	return int(math.Ceil(missing))
}
