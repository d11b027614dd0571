package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"qbench/internal/result"
)

// Options say what counts as slower.
type Options struct {
	// MaxSlowdown is the tolerated slowdown as a part of the old value; 0.05 is
	// 5 %. It must lie in [0, 1).
	MaxSlowdown float64
	// Alpha is the accepted chance that a gate fails although nothing changed;
	// 0 is DefaultAlpha.
	Alpha float64
	// Gate names the metrics that decide; none is throughput.
	Gate []string
	// Show names further metrics that are judged and shown, but decide nothing;
	// none is the usual four.
	Show []string
	// Strict fails a gate that cannot exclude a slowdown beyond the tolerated
	// one, instead of letting it pass with a warning.
	Strict bool
	// Force compares in spite of refusals where there is anything to compare.
	Force bool
}

// DefaultAlpha is one false alarm in a hundred comparisons.
const DefaultAlpha = 0.01

// tail is the level of each end of the intervals, which are therefore 90 %
// ones: what two one-sided tests at 5 % use.
const tail = 0.05

// Confidence is that of the intervals of a report.
const Confidence = 1 - 2*tail

// Compare judges new against base, for each configuration that both have and
// each metric.
//
// The rows of the deciding metrics are one family for Holm's correction and
// the others a second one: what is only shown costs the gate no power. Each
// direction is tested at Alpha, so at most that share of comparisons of equal
// things says "slower" anywhere, and at most that share "faster".
//
// An error is a mistake in the options; sets that do not compare are a report
// that says so.
func Compare(base, new Set, o Options) (*result.Comparison, error) {
	if !(o.MaxSlowdown >= 0 && o.MaxSlowdown < 1) {
		return nil, fmt.Errorf("maximum slowdown %g: it must be at least 0 and below 1 (5%% is 0.05)", o.MaxSlowdown)
	}
	if o.Alpha == 0 {
		o.Alpha = DefaultAlpha
	}
	if !(o.Alpha > 0 && o.Alpha < 0.5) {
		return nil, fmt.Errorf("level %g: it must lie between 0 and 0.5", o.Alpha)
	}
	metrics, gated, err := o.metrics(base, new)
	if err != nil {
		return nil, err
	}
	rep := &result.Comparison{
		Base: base.Name, New: new.Name, MaxSlowdown: o.MaxSlowdown, Alpha: o.Alpha, Confidence: Confidence, Strict: o.Strict,
		Rows: []result.ComparisonRow{}, Problems: []result.Problem{},
	}
	for _, m := range metrics[:gated] {
		rep.Gate = append(rep.Gate, m.Name)
	}
	groups := matched(base, new)
	rep.Problems = append(rep.Problems, alike(base, new, groups)...)
	var refused bool
	for _, p := range rep.Problems {
		refused = refused || p.Refusal && !(o.Force && p.CanForce)
	}
	if refused {
		rep.Outcome = result.Outcome{Verdict: result.NotComparable}
		return rep, nil
	}
	rep.Rows = append(rep.Rows, judgeFamily(groups, metrics[:gated], o, true)...)
	rep.Problems = append(rep.Problems, unmeasured(groups, rep.Gate, rep.Rows)...)
	rep.Rows = append(rep.Rows, judgeFamily(groups, metrics[gated:], o, false)...)
	// A configuration's metrics stand together, the deciding ones first.
	slices.SortStableFunc(rep.Rows, func(a, b result.ComparisonRow) int {
		return cmp.Compare(indexOf(groups, a.Configuration), indexOf(groups, b.Configuration))
	})
	rep.Outcome = overall(rep.Rows)
	return rep, nil
}

// metrics resolves the names; the first gated ones decide.
func (o Options) metrics(base, new Set) (metrics []*result.Metric, gated int, err error) {
	gate, show := o.Gate, o.Show
	usual := []string{"orders_per_s", "p50", "p99", "client_cpu_per_order"}
	if !countsOrders(base) && !countsOrders(new) {
		usual = []string{"tps", "p50", "p99", "client_cpu_per_tx"}
	}
	if len(gate) == 0 {
		gate = usual[:1]
	}
	if len(show) == 0 {
		show = usual
	}
	seen := map[string]bool{}
	for i, name := range slices.Concat(gate, show) {
		if seen[name] {
			continue
		}
		seen[name] = true
		m, err := result.LookupMetric(name)
		if err != nil {
			return nil, 0, err
		}
		metrics = append(metrics, m)
		if i < len(gate) {
			gated++
		}
	}
	return metrics, gated, nil
}

func countsOrders(s Set) bool {
	return slices.ContainsFunc(s.Runs, func(r *result.Run) bool { return r.CountsOrders })
}

// group is a configuration that both sides ran.
type group struct {
	Config
	base, new []*result.Run
}

// matched pairs the configurations in the order of base. Interrupted runs and
// those that lost clients are no samples; alike has said so.
func matched(base, new Set) []group {
	var groups []group
	index := map[Config]int{}
	for _, r := range base.Runs {
		if !whole(r) {
			continue
		}
		c := configOf(r)
		i, known := index[c]
		if !known {
			i = len(groups)
			index[c] = i
			groups = append(groups, group{Config: c})
		}
		groups[i].base = append(groups[i].base, r)
	}
	for _, r := range new.Runs {
		if i, known := index[configOf(r)]; known && whole(r) {
			groups[i].new = append(groups[i].new, r)
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.new) == 0 })
}

func indexOf(groups []group, c result.Configuration) int {
	return slices.IndexFunc(groups, func(g group) bool { return g.base[0].Configuration == c })
}

// whole tells a run that is a sample from a part of one.
func whole(r *result.Run) bool {
	return !r.Interrupted && r.AbortedClients == 0 && (r.Audit == nil || r.Audit.Reason == "")
}

func judgeFamily(groups []group, metrics []*result.Metric, o Options, decides bool) []result.ComparisonRow {
	var rows []result.ComparisonRow
	var all []evidence
	var slower, faster []float64
	for _, g := range groups {
		for _, m := range metrics {
			higher := m.Better == result.HigherIsBetter
			base, new := samples(g.base, m), samples(g.new, m)
			if len(base) == 0 || len(new) == 0 {
				continue
			}
			logBase, logNew := logs(base), logs(new)
			logRatio, ci := shift(logBase, logNew, tail)
			rows = append(rows, result.ComparisonRow{
				Configuration: g.base[0].Configuration, Metric: m.Name, Unit: m.Unit, HigherIsBetter: m.Better == result.HigherIsBetter, Decides: decides,
				BaseRuns: len(base), NewRuns: len(new), BaseMedian: median(base), NewMedian: median(new),
				Ratio: ratioOf(logRatio, ci),
			})
			worse := 1.0
			e := evidence{loss: logRatio, ci: ci}
			if higher {
				worse = -1
				e.loss, e.ci = -logRatio, interval{-ci.hi, -ci.lo}
			}
			limits := marginsFor(o.MaxSlowdown, higher)
			e.pSlower, e.pFaster = lossTest(logBase, logNew, worse, 0)
			e.pBeyondSlower, _ = lossTest(logBase, logNew, worse, limits.slower)
			_, e.pBeyondFaster = lossTest(logBase, logNew, worse, -limits.faster)
			all = append(all, e)
			slower, faster = append(slower, e.pSlower), append(faster, e.pFaster)
		}
	}
	slower, faster = holm(slower), holm(faster)
	for i := range rows {
		r, e := &rows[i], all[i]
		e.pSlower, e.pFaster = slower[i], faster[i]
		r.P = min(e.pSlower, e.pFaster)
		m := marginsFor(o.MaxSlowdown, r.HigherIsBetter)
		r.Outcome = judge(e, m, o.Alpha, beyondLevel, r.HigherIsBetter)
		if r.Verdict == result.Inconclusive {
			r.More = moreRuns(r, e, m, o.Alpha/float64(len(rows)))
		}
	}
	return rows
}

// lossTest gives the p-values of a loss above and below theta; worse is the
// sign of a loss in the metric's own direction.
func lossTest(base, new []float64, worse, theta float64) (above, below float64) {
	moved := make([]float64, len(new))
	for i, v := range new {
		moved[i] = v - worse*theta
	}
	low, high := rankSum(base, moved)
	if worse < 0 {
		return low, high
	}
	return high, low
}

// moreRuns is the number of runs to add to the smaller side.
func moreRuns(r *result.ComparisonRow, e evidence, m margins, level float64) int {
	have := min(r.BaseRuns, r.NewRuns)
	need := max(leastRuns(level), have+1)
	if !math.IsInf(e.ci.lo, 0) && !math.IsInf(e.ci.hi, 0) {
		// The interval's width tells the noise; an outlier hardly widens it.
		perSide := 1/float64(r.BaseRuns) + 1/float64(r.NewRuns)
		sd := (e.ci.hi - e.ci.lo) / 2 / normalQuantile(1-tail) * math.Sqrt(2/perSide)
		need = max(need, samplesNeeded(e.loss, sd, m, level, tail))
	}
	return min(need-have, result.MoreCap)
}

// overall is the verdict of the gate: the worst of the deciding rows, and
// nothing known is worse than the same.
func overall(rows []result.ComparisonRow) result.Outcome {
	out := result.Outcome{Verdict: result.NotComparable}
	notSlower := true
	for _, r := range rows {
		if !r.Decides {
			continue
		}
		notSlower = notSlower && r.NotSlower
		switch {
		case severity(r.Verdict) > severity(out.Verdict):
			out = r.Outcome
		case r.Verdict == out.Verdict:
			out.Within, out.More = max(out.Within, r.Within), max(out.More, r.More)
		}
	}
	out.NotSlower = notSlower && out.Verdict != result.NotComparable
	return out
}

func severity(v result.Verdict) int {
	return slices.Index([]result.Verdict{result.NotComparable, result.Same, result.Faster, result.Inconclusive, result.Slower}, v)
}
