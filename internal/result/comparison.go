package result

import (
	"fmt"
	"math"
	"slices"
)

// Comparison is two sets of runs judged against each other: plain data.
type Comparison struct {
	Base string `json:"base"`
	New  string `json:"new"`
	// MaxSlowdown is the tolerated slowdown as a part of the old value; a row may
	// have one of its own. Alpha is the accepted false-positive rate of "slower".
	MaxSlowdown float64 `json:"max_slowdown"`
	Alpha       float64 `json:"alpha"`
	// BeyondLevel is the level at which a difference must also be beyond the
	// tolerated one.
	BeyondLevel float64 `json:"beyond_level"`
	// Undecided is what becomes of an inconclusive row that decides.
	Undecided Undecided `json:"undecided"`
	// Paired says that the runs were judged by pairs (qbench ab).
	Paired bool `json:"paired,omitempty"`
	// DifferentTimes says that one set was measured after the other, so that Alpha
	// does not hold if the machine changed between them.
	DifferentTimes bool `json:"different_times,omitempty"`
	// Order is, for each pair, the order of its runs: "A B" or "B A", as a coin
	// seeded with OrderSeed fell.
	OrderSeed uint64   `json:"order_seed,omitempty"`
	Order     []string `json:"order,omitempty"`
	// Interrupted says that the user ended the comparison before its rule did.
	Interrupted bool     `json:"interrupted,omitempty"`
	Gate        []string `json:"gate"`
	// Outcome is that of the gate; NotComparable where nothing was judged.
	Outcome
	Problems []Problem       `json:"problems"`
	Rows     []ComparisonRow `json:"rows"`
}

// Undecided says whether the gate passes what the runs leave open.
type Undecided string

// The rules for inconclusive rows. All but the last pass a row whose interval
// excludes the tolerated slowdown, because that is what the gate asks.
const (
	// UndecidedAuto passes a row whose interval excludes [Twice] the tolerated slowdown.
	UndecidedAuto Undecided = "auto"
	UndecidedFail Undecided = "fail"
	UndecidedPass Undecided = "pass"
)

// UndecidedRules are all rules, the default first.
var UndecidedRules = []Undecided{UndecidedAuto, UndecidedFail, UndecidedPass}

// Twice is twice a tolerated slowdown. A throughput cannot fall by 100% or
// more; beyond a third it is therefore half of what is left.
func Twice(slowdown float64, better Direction) float64 {
	if better == HigherIsBetter {
		return min(2*slowdown, (1+slowdown)/2)
	}
	return 2 * slowdown
}

// Failed is whether the gate fails.
func (c *Comparison) Failed() bool {
	return c.Verdict == NotComparable || slices.ContainsFunc(c.Problems, Problem.Fails) || slices.ContainsFunc(c.Rows, c.Fails)
}

// Fails is whether a row makes the gate fail.
func (c *Comparison) Fails(row ComparisonRow) bool {
	if !row.Decides {
		return false
	}
	return row.Verdict == Slower || row.Verdict == Inconclusive && !c.passes(row)
}

// passes is whether an inconclusive row is let through.
func (c *Comparison) passes(row ComparisonRow) bool {
	switch {
	case row.Drift != "":
		return false // what depends on the order of the runs says nothing
	case c.Undecided == UndecidedPass:
		return true
	case c.Undecided == UndecidedFail:
		return row.NotSlower
	default:
		return row.NotSlower || row.NotTwiceSlower
	}
}

// SampleName is what the comparison counts: a run of each side, or a pair.
func (c *Comparison) SampleName() string {
	if c.Paired {
		return "pair"
	}
	return "run"
}

// ComparisonRow is one metric of one configuration.
type ComparisonRow struct {
	// Configuration is that of the base.
	Configuration
	// Across is what the new side has differently on purpose.
	Across         []Difference `json:"across,omitempty"`
	Metric         string       `json:"metric"`
	Unit           string       `json:"unit"`
	HigherIsBetter bool         `json:"higher_is_better"`
	// Decides is whether the metric is one of the gate.
	Decides bool `json:"decides"`
	// MaxSlowdown is what is tolerated of this metric.
	MaxSlowdown float64 `json:"max_slowdown"`
	// BaseRuns and NewRuns are the numbers of samples.
	BaseRuns int `json:"base_runs"`
	NewRuns  int `json:"new_runs"`
	// BaseMedian and NewMedian have bounds where a run's value is known by bounds
	// only.
	BaseMedian Estimate `json:"base_median"`
	NewMedian  Estimate `json:"new_median"`
	// Ratio estimates new/base by Hodges and Lehmann: the median of the ratios of
	// each new run to each old one (for pairs, of the means of all pairs of log
	// ratios). It need not be the ratio of the medians. Its interval is of each row
	// by itself.
	Ratio Estimate `json:"ratio"`
	// P is the chance of a difference like this one or more in this direction,
	// were there none: one-sided, corrected for the number of rows that decide.
	P float64 `json:"p"`
	// Drift says how the runs of a set depend on their order; such a row is
	// inconclusive, and no interval of it excludes anything.
	Drift string `json:"drift,omitempty"`
	Outcome
	// Pairs holds the values of the old and the new run of each pair of a
	// paired comparison, in the order of the pairs.
	Pairs [][2]float64 `json:"pairs,omitempty"`
}

// Name names the row's configuration among others.
func (r *ComparisonRow) Name() string {
	s := r.Configuration.String()
	for _, d := range r.Across {
		s += "; " + d.String()
	}
	return s
}

// Better is the metric's direction.
func (r *ComparisonRow) Better() Direction {
	if r.HigherIsBetter {
		return HigherIsBetter
	}
	return LowerIsBetter
}

// Problem is a reason not to believe a comparison, or not to make it.
type Problem struct {
	Severity Severity `json:"severity"`
	// Kind is one word for programs: audit, incomplete, missing, unmeasured,
	// configuration, across, few, drift, times, drained, rate, medians, different.
	Kind string `json:"kind"`
	// Text is the sentence for people.
	Text string `json:"text"`
}

// Severity is what a problem means for the gate.
type Severity string

// The severities.
const (
	// Note changes nothing.
	Note Severity = "note"
	// Incomplete is runs that are missing, were aborted or were not audited.
	Incomplete Severity = "incomplete"
	// Refused is sets that are not comparable, or too few runs to ever decide.
	Refused Severity = "refused"
	// Invalid is a failed audit.
	Invalid Severity = "invalid"
)

// Fails is whether the gate cannot pass because of the problem.
func (p Problem) Fails() bool { return p.Severity != Note }

// Verdict is what a comparison came to.
type Verdict string

// The verdicts.
const (
	Faster        Verdict = "faster"
	Slower        Verdict = "slower"
	Same          Verdict = "same"
	Inconclusive  Verdict = "inconclusive"
	NotComparable Verdict = "not comparable"
)

// verdicts are all verdicts, the worst last: what was not judged says nothing, and
// an open question is worse than a good answer.
var verdicts = []Verdict{NotComparable, Same, Faster, Inconclusive, Slower}

// WorseThan tells whether v decides for several rows, of which one has o.
func (v Verdict) WorseThan(o Verdict) bool {
	return slices.Index(verdicts, v) > slices.Index(verdicts, o)
}

// Outcome is a verdict with the number that belongs to it. For a cost, such as
// a latency, slower means that it is higher.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	// Within is, for Same, how far from equal the two can be, as a part of the
	// old value (0.03 for 3%).
	Within float64 `json:"within,omitempty"`
	// More is, for Inconclusive, how many more runs a side (or pairs) would
	// probably decide it; MoreCap stands for more than that, 0 for a number that is
	// not known.
	More int `json:"more,omitempty"`
	// NotSlower is whether a slowdown beyond the tolerated one is excluded
	// (at 5%): the weaker statement that is enough to let a change pass.
	NotSlower bool `json:"not_slower"`
	// NotTwiceSlower is the same for [Twice] the tolerated slowdown.
	NotTwiceSlower bool `json:"not_twice_slower"`
}

// MoreCap is where estimates of further runs end: no one measures that many,
// and an estimate from so few is not worth a larger number.
const MoreCap = 1000

// Text is the outcome in words, with what More counts ("run" or "pair").
func (o Outcome) Text(unit string) string {
	switch o.Verdict {
	case Same:
		return fmt.Sprintf("same within %s%%", ceilPercent(o.Within))
	case Inconclusive:
		switch {
		case o.More >= MoreCap:
			return fmt.Sprintf("inconclusive: %d+ more %ss", MoreCap, unit)
		case o.More == 1:
			return fmt.Sprintf("inconclusive: 1 more %s", unit)
		case o.More > 0:
			return fmt.Sprintf("inconclusive: %d more %ss", o.More, unit)
		}
	}
	return string(o.Verdict)
}

// Text is the row's outcome in words.
func (r *ComparisonRow) Text(unit string) string {
	if r.Drift != "" {
		return "inconclusive: drift"
	}
	return r.Outcome.Text(unit)
}

// ceilPercent rounds up, since "within" is a promise.
func ceilPercent(part float64) string {
	if part < 0.01 {
		return fmt.Sprintf("%.1f", max(0, math.Ceil(part*1000-1e-9)/10))
	}
	return fmt.Sprintf("%.0f", math.Ceil(part*100-1e-9))
}
