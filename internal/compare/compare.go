package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// Options say what counts as slower.
type Options struct {
	// MaxSlowdown is the tolerated slowdown as a part of the old value; 0.05 is
	// 5 %. It must lie in [0, 1). Tolerate holds those of metrics that have their own.
	MaxSlowdown float64
	Tolerate    map[string]float64
	// Alpha is the accepted chance that a gate says "slower" although nothing
	// changed; 0 is DefaultAlpha.
	Alpha float64
	// Gate names the metrics that decide; none is the throughput, and a latency
	// where the throughput is that of the input.
	Gate []string
	// Show names further metrics that are judged and shown, but decide nothing;
	// none is the usual four.
	Show []string
	// Undecided is what becomes of a gate that stays undecided; "" is
	// result.UndecidedAuto.
	Undecided result.Undecided
	// Across names parts of the configuration in which the sets may differ.
	Across []string
}

// DefaultAlpha is one false alarm in a hundred comparisons.
const DefaultAlpha = 0.01

// tail is the level of each end of the intervals, which are therefore 90%
// ones: what two one-sided tests at 5% use.
const tail = 0.05

// Confidence is that of the intervals of a report.
const Confidence = 1 - 2*tail

func (o Options) withDefaults() Options {
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	if o.Undecided == "" {
		o.Undecided = result.UndecidedAuto
	}
	return o
}

// Compare judges new against base, for each configuration that both have and
// each metric.
//
// The rows of the deciding metrics are one family for Holm's correction and
// the others a second one: what is only shown costs the gate no power. Each
// direction is tested at Alpha, so at most that share of comparisons of equal
// things says "slower" anywhere, and at most that share "faster".
//
// An error is a mistake in the options; sets that do not compare are a comparison
// that says so.
func Compare(base, new Set, o Options) (*result.Comparison, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	c := &result.Comparison{
		Base: base.Name, New: new.Name, MaxSlowdown: o.MaxSlowdown, Alpha: o.Alpha, BeyondLevel: beyondLevel, Undecided: o.Undecided,
		Outcome: result.Outcome{Verdict: result.NotComparable},
		Gate:    []string{}, Rows: []result.ComparisonRow{}, Problems: []result.Problem{},
	}
	for _, s := range []Set{base, new} {
		if len(s.Runs) == 0 {
			c.Problems = append(c.Problems, result.Problem{Severity: result.Incomplete, Kind: "missing", Text: s.Name + " holds no runs"})
		}
		c.Problems = append(c.Problems, invalid(s)...)
	}
	groups, problems := match(base, new, o.Across)
	c.Problems = append(c.Problems, problems...)
	c.Problems = append(c.Problems, alsoDifferent(groups)...)
	if slices.ContainsFunc(c.Problems, func(p result.Problem) bool { return p.Severity == result.Refused || p.Severity == result.Invalid }) {
		return c, nil
	}
	if text, differ := differentTimes(groups); differ {
		c.DifferentTimes = true
		c.Problems = append(c.Problems, result.Problem{Severity: result.Note, Kind: "times",
			Text: fmt.Sprintf("%s. If the machine changed between them, equals are called slower more often than in %.3g%% of comparisons; `qbench ab` alternates, and has no such limit", text, 100*o.Alpha)})
	}
	decide, show, problems := tests(groups, o)
	c.Problems = append(c.Problems, problems...)
	for _, t := range decide {
		if !slices.Contains(c.Gate, t.metric.Name) {
			c.Gate = append(c.Gate, t.metric.Name)
		}
	}
	c.Problems = append(c.Problems, tooFew(decide, o.Alpha)...)
	c.Rows = append(judgeFamily(decide, o), judgeFamily(show, o)...)
	for _, r := range c.Rows {
		if r.Drift != "" {
			c.Problems = append(c.Problems, result.Problem{Severity: result.Note, Kind: "drift",
				Text: fmt.Sprintf("%s: %s: %s, so the comparison is inconclusive: measure both in alternation with `qbench ab`", r.Name(), r.Metric, r.Drift)})
		}
	}
	// A configuration's metrics stand together, the deciding ones first.
	place := map[result.Configuration]int{}
	for i, g := range groups {
		place[g.Configuration] = i
	}
	slices.SortStableFunc(c.Rows, func(a, b result.ComparisonRow) int {
		return cmp.Compare(place[a.Configuration], place[b.Configuration])
	})
	c.Problems = append(c.Problems, medians(c.Rows)...)
	c.Outcome = overall(c.Rows)
	return c, nil
}

// test is one metric of one group.
type test struct {
	*group
	metric    *result.Metric
	base, new sample
	decides   bool
	tolerated float64
}

// tests lists what is judged. A deciding metric without a value in some runs is
// incomplete: the run that could not be measured may be the slow one.
func tests(groups []group, o Options) (decide, show []test, problems []result.Problem) {
	for i := range groups {
		g := &groups[i]
		metrics, gated, _ := o.metrics(g.base, g.new) // the names are checked
		for j, m := range metrics {
			t := test{group: g, metric: m, base: sampleOf(g.base, m), new: sampleOf(g.new, m), decides: j < gated, tolerated: o.MaxSlowdown}
			measured := t.base.size() > 0 && t.new.size() > 0
			if !t.decides {
				if measured {
					show = append(show, t)
				}
				continue
			}
			t.tolerated = o.Tolerated(m.Name)
			if missing := t.base.missing + t.new.missing; missing > 0 {
				problems = append(problems, result.Problem{Severity: result.Incomplete, Kind: "unmeasured",
					Text: fmt.Sprintf("%s: %d of %s have no %s: %s", g.Configuration, missing, amount.Count(len(g.base)+len(g.new), "run"), m.Name, m.Absent)})
			}
			if measured {
				decide = append(decide, t)
			}
		}
		problems = append(problems, conditions(*g, metrics[:gated])...)
	}
	return decide, show, problems
}

// tooFew refuses runs with which no slowdown could ever be shown: the smallest p
// that the rank-sum test reaches is 1 in (n+m choose n), and must be at most the
// level of the family's first. Runs that were left out count, because that they are
// missing is said already.
func tooFew(decide []test, alpha float64) []result.Problem {
	least := leastRuns(alpha / float64(len(decide)))
	var few []string
	for _, t := range decide {
		if smallestP(t.baseAll, t.newAll) > alpha/float64(len(decide)) {
			text := fmt.Sprintf("%s: %d against %d", t.Configuration, t.baseAll, t.newAll)
			if !slices.Contains(few, text) {
				few = append(few, text)
			}
		}
	}
	if few == nil {
		return nil
	}
	return []result.Problem{{Severity: result.Refused, Kind: "few",
		Text: fmt.Sprintf("too few runs to ever find a slowdown (%s): with %s at a false-positive rate of %.3g%%, each configuration needs %d runs or more on each side (--repeat %d)",
			strings.Join(few, "; "), amount.Count(len(decide), "comparison"), 100*alpha, least, least)}}
}

func judgeFamily(tests []test, o Options) []result.ComparisonRow {
	var rows []result.ComparisonRow
	var all []evidence
	var slower, faster []float64
	for _, t := range tests {
		logBase, logNew := t.base.logs(), t.new.logs()
		logRatio, ci := shiftOf(logBase, logNew)
		m := t.metric
		row := result.ComparisonRow{
			Configuration: t.Configuration, Across: t.across, Metric: m.Name, Unit: m.Unit, HigherIsBetter: m.Better == result.HigherIsBetter, Decides: t.decides,
			MaxSlowdown: t.tolerated, BaseRuns: t.base.size(), NewRuns: t.new.size(), BaseMedian: t.base.median(), NewMedian: t.new.median(),
			Ratio: ratioOf(logRatio, ci),
		}
		worse := 1.0
		e := evidence{loss: logRatio, ci: ci}
		if row.HigherIsBetter {
			worse = -1
			e.loss, e.ci = -logRatio, interval{-ci.hi, -ci.lo}
		}
		limits := marginsFor(t.tolerated, row.HigherIsBetter)
		e.pSlower, e.pFaster = lossTest(logBase, logNew, worse, 0)
		e.pBeyondSlower, _ = lossTest(logBase, logNew, worse, limits.slower)
		_, e.pBeyondFaster = lossTest(logBase, logNew, worse, -limits.faster)
		if t.decides {
			row.Drift = drift(logBase.low, logNew.low, driftLevel/float64(len(tests)), limits.slower)
		}
		rows, all = append(rows, row), append(all, e)
		slower, faster = append(slower, e.pSlower), append(faster, e.pFaster)
	}
	slower, faster = holm(slower), holm(faster)
	for i := range rows {
		r, e := &rows[i], all[i]
		e.pSlower, e.pFaster = slower[i], faster[i]
		r.P = min(e.pSlower, e.pFaster)
		if r.Drift != "" {
			r.Outcome = result.Outcome{Verdict: result.Inconclusive}
			continue
		}
		m := marginsFor(r.MaxSlowdown, r.HigherIsBetter)
		r.Outcome = judge(e, m, o.Alpha, beyondLevel, r.HigherIsBetter)
		if r.Verdict == result.Inconclusive {
			r.More = moreRuns(r, e, m, o.Alpha/float64(len(rows)))
		}
	}
	return rows
}

// moreRuns is the number of runs to add to the smaller side.
func moreRuns(r *result.ComparisonRow, e evidence, m margins, level float64) int {
	have := min(r.BaseRuns, r.NewRuns)
	need := max(leastRuns(level), have+1)
	if !math.IsInf(e.ci.lo, 0) && !math.IsInf(e.ci.hi, 0) {
		// The interval's width tells the noise; an outlier hardly widens it.
		perSide := 1/float64(r.BaseRuns) + 1/float64(r.NewRuns)
		sd := (e.ci.hi - e.ci.lo) / 2 / stats.NormalQuantile(Confidence) * math.Sqrt(2/perSide)
		n := samplesNeeded(e.loss, sd, m, level, tail)
		if n == result.MoreCap {
			return result.MoreCap // beyond it, whatever there is already
		}
		need = max(need, n)
	}
	return min(need-have, result.MoreCap)
}

// overall is the verdict of the gate: the worst of the deciding rows, and
// nothing known is worse than the same.
func overall(rows []result.ComparisonRow) result.Outcome {
	out := result.Outcome{Verdict: result.NotComparable}
	notSlower, notTwice := true, true
	for _, r := range rows {
		if !r.Decides {
			continue
		}
		notSlower, notTwice = notSlower && r.NotSlower, notTwice && r.NotTwiceSlower
		switch {
		case r.Verdict.WorseThan(out.Verdict):
			out = r.Outcome
		case r.Verdict == out.Verdict:
			out.Within, out.More = max(out.Within, r.Within), max(out.More, r.More)
		}
	}
	known := out.Verdict != result.NotComparable
	out.NotSlower, out.NotTwiceSlower = notSlower && known, notTwice && known
	return out
}
