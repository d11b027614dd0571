package result

import (
	"fmt"
	"math"
	"slices"
)

// Comparison is two sets of runs judged against each other: plain data.
type Comparison struct {
	Base        string  `json:"base"`
	New         string  `json:"new"`
	MaxSlowdown float64 `json:"max_slowdown"`
	Alpha       float64 `json:"alpha"`
	Confidence  float64 `json:"confidence"`
	Strict      bool    `json:"strict"`
	// Paired says that the runs were judged by pairs (qbench ab).
	Paired bool `json:"paired,omitempty"`
	// Order is, for each pair, the order of its runs: "A B" or "B A", as a coin
	// seeded with OrderSeed fell.
	OrderSeed uint64   `json:"order_seed,omitempty"`
	Order     []string `json:"order,omitempty"`
	// Interrupted says that the user ended the comparison before its rule did.
	Interrupted bool     `json:"interrupted,omitempty"`
	Gate        []string `json:"gate"`
	// Outcome is that of the gate; NotComparable if a problem is a refusal.
	Outcome
	Problems []Problem       `json:"problems"`
	Rows     []ComparisonRow `json:"rows"`
}

// Failed is whether the gate fails.
func (c *Comparison) Failed() bool {
	return c.Verdict == NotComparable || slices.ContainsFunc(c.Rows, c.Fails)
}

// Fails is whether a row makes the gate fail.
func (c *Comparison) Fails(row ComparisonRow) bool {
	return row.Decides && (row.Verdict == Slower || c.Strict && row.Verdict == Inconclusive && !row.NotSlower)
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
	// BaseRuns and NewRuns are the numbers of samples.
	BaseRuns   int     `json:"base_runs"`
	NewRuns    int     `json:"new_runs"`
	BaseMedian float64 `json:"base_median"`
	NewMedian  float64 `json:"new_median"`
	// Ratio estimates new/base: the median ratio of a new run to an old one,
	// which need not be the ratio of the medians. Its interval is of each row by
	// itself.
	Ratio Estimate `json:"ratio"`
	// P is the chance of a difference like this one or more in this direction,
	// were there none: one-sided, corrected for the number of rows that decide.
	P float64 `json:"p"`
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

// Problem is a reason not to believe a comparison, or not to make it.
type Problem struct {
	// Refusal means that there is no verdict; otherwise it is a warning.
	Refusal bool `json:"refusal"`
	// CanForce means that the refusal can be overridden.
	CanForce bool `json:"can_force,omitempty"`
	// Kind is one word for programs: audit, disjoint, missing, unmeasured,
	// incomplete, durability, version, settings, machine, orders, duration, drained, rate.
	Kind string `json:"kind"`
	// Text is the sentence for people.
	Text string `json:"text"`
}

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

// Outcome is a verdict with the number that belongs to it. For a cost, such as
// a latency, slower means that it is higher.
type Outcome struct {
	Verdict Verdict `json:"verdict"`
	// Within is, for Same, how far from equal the two can be, as a part of the
	// old value (0.03 for 3 %).
	Within float64 `json:"within,omitempty"`
	// More is, for Inconclusive, how many more runs a side (or pairs) would
	// probably decide it; MoreCap stands for more than that.
	More int `json:"more,omitempty"`
	// NotSlower is whether a slowdown beyond the tolerated one is excluded
	// (at 5 %): the weaker statement that is enough to let a change pass.
	NotSlower bool `json:"not_slower"`
}

// MoreCap is where estimates of further runs end: no one measures that many,
// and an estimate from so few is not worth a larger number.
const MoreCap = 1000

// Text is the outcome in words, with what More counts ("run" or "pair").
func (o Outcome) Text(unit string) string {
	switch o.Verdict {
	case Same:
		return fmt.Sprintf("same within %s %%", ceilPercent(o.Within))
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

// ceilPercent rounds up, since "within" is a promise.
func ceilPercent(part float64) string {
	if part < 0.01 {
		return fmt.Sprintf("%.1f", math.Ceil(part*1000-1e-9)/10)
	}
	return fmt.Sprintf("%.0f", math.Ceil(part*100-1e-9))
}
