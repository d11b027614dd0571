package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"qbench/internal/result"
)

// Trial compares two variants by pairs of runs, for the metrics of a gate and
// those that are only shown, until Done. Each deciding metric is a Sequential
// at its share of Alpha (Bonferroni's correction: unlike Holm's it needs no
// final ranking of p-values, so that one may stop at any time).
type Trial struct {
	a, b  string
	opts  Options
	pairs int // the budget; 0 is no limit
	order *Order
	alpha float64 // of each deciding metric
	runs  [2][]*result.Run
	gate  []tested
	shown []tested
}

// tested is one metric of a trial.
type tested struct {
	*result.Metric
	seq    *Sequential
	values [2]sample
	absent bool // of a run, so that the metric is left out
}

// NewTrial prepares the comparison of b against a; the texts describe them in
// the report. maxPairs is the budget, 0 for none. An error is a mistake in the
// options, or a budget with which no slowdown could ever be shown.
func NewTrial(a, b string, o Options, maxPairs int, order *Order) (*Trial, error) {
	o = o.withDefaults()
	t := &Trial{a: a, b: b, opts: o, pairs: maxPairs, order: order}
	// What the metrics are by default follows from the first run; the rest is
	// checked now.
	_, gated, err := o.metrics(nil, nil)
	if err != nil {
		return nil, err
	}
	t.alpha = o.Alpha / float64(gated)
	_, err = t.sequential(&result.Metric{}, t.alpha, o.MaxSlowdown)
	return t, err
}

// LeastPairs is the number of pairs below which no slowdown can be shown.
func (t *Trial) LeastPairs() int { return leastPairs(t.alpha) }

// OrderSeed is the seed of the order of the runs.
func (t *Trial) OrderSeed() uint64 { return t.order.seed }

// BFirst tells whether B runs before A in the next pair.
func (t *Trial) BFirst() bool { return t.order.BFirst(t.Pairs()) }

func (t *Trial) sequential(m *result.Metric, alpha, maxSlowdown float64) (*Sequential, error) {
	return NewSequential(SequentialOptions{
		MaxSlowdown: maxSlowdown, Alpha: alpha, MaxPairs: t.pairs, HigherIsBetter: m.Better == result.HigherIsBetter,
	})
}

// start chooses the metrics by the first pair.
func (t *Trial) start(a, b *result.Run) error {
	metrics, gated, err := t.opts.metrics([]*result.Run{a}, []*result.Run{b})
	if err != nil {
		return err
	}
	t.alpha = t.opts.Alpha / float64(gated)
	for i, m := range metrics {
		alpha, tolerated := t.opts.Alpha, t.opts.MaxSlowdown
		if i < gated {
			alpha, tolerated = t.alpha, t.opts.Tolerated(m.Name)
		}
		seq, err := t.sequential(m, alpha, tolerated)
		if err != nil {
			return err
		}
		if i < gated {
			t.gate = append(t.gate, tested{Metric: m, seq: seq})
		} else {
			t.shown = append(t.shown, tested{Metric: m, seq: seq})
		}
	}
	return nil
}

// ErrNotASample is the error of Add for a run that stands for nothing.
var ErrNotASample = errors.New("the run is no sample")

// CheckSample is an ErrNotASample for a run that was interrupted, lost clients,
// or whose audit failed or was not made.
func CheckSample(r *result.Run) error {
	switch {
	case r.Audit.Failed():
		return fmt.Errorf("%w: it failed its audit, so its numbers mean nothing: %s", ErrNotASample, strings.Join(r.Audit.Problems, "; "))
	case unaudited(r) && r.Audit != nil:
		return fmt.Errorf("%w: it was NOT AUDITED: %s", ErrNotASample, r.Audit.Reason)
	case unaudited(r):
		return fmt.Errorf("%w: it was NOT AUDITED", ErrNotASample)
	case r.Interrupted:
		return fmt.Errorf("%w: it was interrupted", ErrNotASample)
	case r.AbortedClients > 0:
		return fmt.Errorf("%w: it lost %d of %d clients (%s)", ErrNotASample, r.AbortedClients, r.Clients, strings.Join(r.Errors, "; "))
	}
	return nil
}

func sideName(i int) string { return [2]string{"variant a", "variant b"}[i] }

// Add takes a pair of runs made right after each other. A run that is no sample
// or has no value of a deciding metric is refused, and the pair with it.
func (t *Trial) Add(a, b *result.Run) error {
	for i, r := range []*result.Run{a, b} {
		if err := CheckSample(r); err != nil {
			return fmt.Errorf("%s: %w", sideName(i), err)
		}
	}
	if t.gate == nil {
		if err := t.start(a, b); err != nil {
			return err
		}
	}
	for _, m := range t.gate {
		for i, r := range []*result.Run{a, b} {
			switch v := sampleOf([]*result.Run{r}, m.Metric); {
			case v.missing > 0:
				return fmt.Errorf("%s: %w: it has no %s: %s", sideName(i), ErrNotASample, m.Name, m.Absent)
			case !v.positive():
				return fmt.Errorf("%s: %w: its %s is 0, and only positive numbers have a ratio; do the clients find orders to take?", sideName(i), ErrNotASample, m.Name)
			}
		}
	}
	t.runs[0], t.runs[1] = append(t.runs[0], a), append(t.runs[1], b)
	for _, list := range [][]tested{t.gate, t.shown} {
		for i := range list {
			if err := list[i].add(a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// positive is whether all values are there and have a logarithm.
func (s sample) positive() bool { return s.missing == 0 && slices.Min(s.low) > 0 }

// add records a metric's pair; a metric that is only shown ends where a run
// does not have it.
func (m *tested) add(a, b *result.Run) error {
	var pair [2]result.Estimate
	for i, r := range []*result.Run{a, b} {
		v := sampleOf([]*result.Run{r}, m.Metric)
		if m.absent = m.absent || !v.positive(); m.absent {
			return nil
		}
		m.values[i].low, m.values[i].high = append(m.values[i].low, v.low...), append(m.values[i].high, v.high...)
		pair[i] = v.median()
	}
	return m.seq.Add(pair[0], pair[1])
}

// Pairs is the number of pairs so far.
func (t *Trial) Pairs() int { return len(t.runs[0]) }

// Done tells whether more pairs are not worth running: some deciding metric is
// slower, all are decided, or the budget is spent.
func (t *Trial) Done() bool {
	done := len(t.gate) > 0
	for _, m := range t.gate {
		d := m.seq.Decide()
		if d.Verdict == result.Slower {
			return true
		}
		done = done && d.Done
	}
	return done
}

// Report is what is known after the pairs so far; NotComparable without any.
func (t *Trial) Report() *result.Comparison {
	rep := &result.Comparison{
		Base: t.a, New: t.b, Paired: true, MaxSlowdown: t.opts.MaxSlowdown, Alpha: t.opts.Alpha, BeyondLevel: ahead, Undecided: t.opts.Undecided,
		OrderSeed: t.order.seed, Gate: []string{}, Rows: []result.ComparisonRow{}, Problems: []result.Problem{},
	}
	if t.Pairs() == 0 {
		rep.Outcome = result.Outcome{Verdict: result.NotComparable}
		return rep
	}
	for i := range t.Pairs() {
		rep.Order = append(rep.Order, t.order.Name(i))
	}
	config := t.runs[0][0].Configuration
	across := config.Diff(t.runs[1][0].Configuration)
	var gate []*result.Metric
	for _, m := range t.gate {
		gate, rep.Gate = append(gate, m.Metric), append(rep.Gate, m.Name)
		rep.Rows = append(rep.Rows, m.row(config, across, true, len(t.gate)))
	}
	for _, m := range t.shown {
		if !m.absent {
			rep.Rows = append(rep.Rows, m.row(config, across, false, 1))
		}
	}
	both := group{Configuration: config, across: across, base: t.runs[0], new: t.runs[1]}
	rep.Problems = append(rep.Problems, alsoDifferent([]group{both})...)
	rep.Problems = append(rep.Problems, conditions(both, gate)...)
	rep.Problems = append(rep.Problems, medians(rep.Rows)...)
	rep.Outcome = overall(rep.Rows)
	return rep
}

// row is the metric's line in the report; its p-value is corrected for the
// number of metrics that decide.
func (m *tested) row(c result.Configuration, across []result.Difference, decides bool, family int) result.ComparisonRow {
	d := m.seq.Decide()
	r := result.ComparisonRow{
		Configuration: c, Across: across, Metric: m.Name, Unit: m.Unit, HigherIsBetter: m.Better == result.HigherIsBetter, Decides: decides,
		BaseRuns: d.Pairs, NewRuns: d.Pairs, MaxSlowdown: m.seq.opts.MaxSlowdown, BaseMedian: m.values[0].median(), NewMedian: m.values[1].median(),
		Ratio: d.Ratio, P: min(1, d.P*float64(family)), Outcome: d.Outcome,
	}
	for i := range d.Pairs {
		r.Pairs = append(r.Pairs, [2]float64{m.values[0].low[i], m.values[1].low[i]})
	}
	return r
}
