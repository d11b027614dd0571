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

// Report is the comparison of two sets: plain data.
type Report struct {
	Base        string  `json:"base"`
	New         string  `json:"new"`
	MaxSlowdown float64 `json:"max_slowdown"`
	Alpha       float64 `json:"alpha"`
	Confidence  float64 `json:"confidence"`
	Strict      bool    `json:"strict"`
	// Paired says that the runs were judged by pairs (Trial).
	Paired bool `json:"paired,omitempty"`
	// Interrupted says that the user ended the comparison before its rule did.
	Interrupted bool     `json:"interrupted,omitempty"`
	Gate        []string `json:"gate"`
	// Outcome is that of the gate; NotComparable if a problem is a refusal.
	Outcome
	Problems []Problem `json:"problems"`
	Rows     []Row     `json:"rows"`
}

// Failed is whether the gate fails.
func (r *Report) Failed() bool {
	return r.Verdict == NotComparable || slices.ContainsFunc(r.Rows, r.Fails)
}

// Fails is whether a row makes the gate fail.
func (r *Report) Fails(row Row) bool {
	return row.Decides && (row.Verdict == Slower || r.Strict && row.Verdict == CannotTell && !row.NotSlower)
}

// Row is one metric of one configuration.
type Row struct {
	Config
	Metric         string `json:"metric"`
	Unit           string `json:"unit"`
	HigherIsBetter bool   `json:"higher_is_better"`
	// Decides is whether the metric is one of the gate.
	Decides bool `json:"decides"`
	// BaseRuns and NewRuns are the numbers of samples.
	BaseRuns   int     `json:"base_runs"`
	NewRuns    int     `json:"new_runs"`
	BaseMedian float64 `json:"base_median"`
	NewMedian  float64 `json:"new_median"`
	// Ratio estimates new/base: the median ratio of a new run to an old one,
	// which need not be the ratio of the medians.
	Ratio float64 `json:"ratio"`
	// Interval holds the ratio with the report's confidence, each row for
	// itself.
	Interval Interval `json:"interval"`
	// P is the chance of a difference like this one or more in this direction,
	// were there none: one-sided, corrected for the family (see Compare).
	P float64 `json:"p"`
	Outcome
	// Pairs holds the values of the old and the new run of each pair of a
	// paired comparison, in the order of the pairs.
	Pairs [][2]float64 `json:"pairs,omitempty"`
}

// SampleName is what the report counts: a run of each side, or a pair.
func (r *Report) SampleName() string {
	if r.Paired {
		return "pair"
	}
	return "run"
}

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
func Compare(base, new Set, o Options) (*Report, error) {
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
	rep := &Report{
		Base: base.Name, New: new.Name, MaxSlowdown: o.MaxSlowdown, Alpha: o.Alpha, Confidence: Confidence, Strict: o.Strict,
		Rows: []Row{}, Problems: []Problem{},
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
		rep.Outcome = Outcome{Verdict: NotComparable}
		return rep, nil
	}
	rep.Rows = append(rep.Rows, judgeFamily(groups, metrics[:gated], o, true)...)
	rep.Problems = append(rep.Problems, unmeasured(groups, rep.Gate, rep.Rows)...)
	rep.Rows = append(rep.Rows, judgeFamily(groups, metrics[gated:], o, false)...)
	// A configuration's metrics stand together, the deciding ones first.
	slices.SortStableFunc(rep.Rows, func(a, b Row) int {
		return cmp.Compare(indexOf(groups, a.Config), indexOf(groups, b.Config))
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

func indexOf(groups []group, c Config) int {
	return slices.IndexFunc(groups, func(g group) bool { return g.Config == c })
}

// whole tells a run that is a sample from a part of one.
func whole(r *result.Run) bool {
	return !r.Interrupted && r.AbortedClients == 0 && (r.Audit == nil || r.Audit.Reason == "")
}

func judgeFamily(groups []group, metrics []*result.Metric, o Options, decides bool) []Row {
	var rows []Row
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
			rows = append(rows, Row{
				Config: g.Config, Metric: m.Name, Unit: m.Unit, HigherIsBetter: higher, Decides: decides,
				BaseRuns: len(base), NewRuns: len(new), BaseMedian: median(base), NewMedian: median(new),
				Ratio: math.Exp(logRatio), Interval: Interval{math.Exp(ci.lo), math.Exp(ci.hi)},
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
		if r.Verdict == CannotTell {
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
func moreRuns(r *Row, e evidence, m margins, level float64) int {
	have := min(r.BaseRuns, r.NewRuns)
	need := max(leastRuns(level), have+1)
	if !math.IsInf(e.ci.lo, 0) && !math.IsInf(e.ci.hi, 0) {
		// The interval's width tells the noise; an outlier hardly widens it.
		perSide := 1/float64(r.BaseRuns) + 1/float64(r.NewRuns)
		sd := (e.ci.hi - e.ci.lo) / 2 / normalQuantile(1-tail) * math.Sqrt(2/perSide)
		need = max(need, samplesNeeded(e.loss, sd, m, level, tail))
	}
	return min(need-have, MoreCap)
}

// overall is the verdict of the gate: the worst of the deciding rows, and
// nothing known is worse than the same.
func overall(rows []Row) Outcome {
	out := Outcome{Verdict: NotComparable}
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
	out.NotSlower = notSlower && out.Verdict != NotComparable
	return out
}

func severity(v Verdict) int {
	return slices.Index([]Verdict{NotComparable, Same, Faster, CannotTell, Slower}, v)
}
