package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"qbench/internal/result"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	s := simulated(rand.New(rand.NewPCG(1, 1)), "x", 3, normal(0.01), 1)
	for _, o := range []Options{
		{MaxSlowdown: -0.1}, {MaxSlowdown: 1}, {MaxSlowdown: math.NaN()}, {Alpha: 0.5}, {Alpha: -1},
		{Gate: []string{"p98"}}, {Show: []string{"speed"}},
	} {
		if _, err := Compare(s, s, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// A configuration's rows stand together, deciding ones first.
func TestRowsInOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	rep, err := Compare(simulated(rng, "a", 4, normal(0.01), 1, 1), simulated(rng, "b", 4, normal(0.01), 1, 1), Options{MaxSlowdown: 0.05, Gate: []string{"p99"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rep.Rows {
		mark := ""
		if r.Decides {
			mark = "!"
		}
		got = append(got, r.Strategy+mark+r.Metric)
	}
	want := []string{
		"strategy-0!p99", "strategy-0orders_per_s", "strategy-0p50", "strategy-0client_cpu_per_order",
		"strategy-1!p99", "strategy-1orders_per_s", "strategy-1p50", "strategy-1client_cpu_per_order",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Only what decides fails the gate: here throughput is the same and the tail is
// twice as long.
func TestOnlyTheGateDecides(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	base, new := simulated(rng, "base", 10, normal(0.01), 1), simulated(rng, "new", 10, normal(0.01), 1)
	for _, r := range new.Runs {
		r.Latency.P99 *= 2
	}
	for gate, want := range map[string]result.Verdict{"orders_per_s": result.Same, "p99": result.Slower} {
		rep, err := Compare(base, new, Options{MaxSlowdown: 0.05, Gate: []string{gate}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != want {
			t.Errorf("gate on %s: %s, want %s", gate, rep.Verdict, want)
		}
		for _, r := range rep.Rows {
			if r.Metric == "p99" && r.Verdict != result.Slower {
				t.Errorf("gate on %s: p99 is shown as %s", gate, r.Verdict)
			}
		}
	}
}

// A script that counts no orders is judged by transactions.
func TestWithoutOrders(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	base, new := simulated(rng, "base", 8, normal(0.01), 1), simulated(rng, "new", 8, normal(0.01), 0.8)
	for _, s := range []Set{base, new} {
		for _, r := range s.Runs {
			r.CountsOrders, r.Orders, r.OrdersPerS = false, 0, 0
		}
	}
	rep, err := Compare(base, new, Options{MaxSlowdown: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != result.Slower || rep.Rows[0].Metric != "tps" || rep.Rows[3].Metric != "client_cpu_per_tx" {
		t.Errorf("%s by %+v", rep.Verdict, rep.Rows)
	}
}

// A queue that stands still is slower, and no division by zero.
func TestNoThroughputAtAll(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	base, new := simulated(rng, "base", 8, normal(0.01), 1), simulated(rng, "new", 8, normal(0.01), 1)
	for _, r := range new.Runs {
		r.OrdersPerS, r.TPS, r.Orders, r.Transactions = 0, 0, 0, 0
		r.Latency = result.Latency{}
	}
	rep, err := Compare(base, new, Options{MaxSlowdown: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != result.Slower || len(rep.Rows) != 1 {
		t.Errorf("%+v", rep)
	}
	if _, err := json.Marshal(rep); err != nil {
		t.Error(err)
	}
}

func TestSummaryOfRows(t *testing.T) {
	t.Parallel()
	row := func(v result.Verdict, decides bool, more int) result.ComparisonRow {
		known := v == result.Same || v == result.Faster
		return result.ComparisonRow{Decides: decides, Outcome: result.Outcome{Verdict: v, More: more, NotSlower: known, NotTwiceSlower: known}}
	}
	for _, c := range []struct {
		rows []result.ComparisonRow
		want result.Outcome
	}{
		{nil, result.Outcome{Verdict: result.NotComparable}},
		{[]result.ComparisonRow{row(result.Slower, false, 0)}, result.Outcome{Verdict: result.NotComparable}},
		{[]result.ComparisonRow{row(result.Same, true, 0), row(result.Slower, false, 0)}, result.Outcome{Verdict: result.Same, NotSlower: true, NotTwiceSlower: true}},
		{[]result.ComparisonRow{row(result.Same, true, 0), row(result.Faster, true, 0)}, result.Outcome{Verdict: result.Faster, NotSlower: true, NotTwiceSlower: true}},
		{[]result.ComparisonRow{row(result.Inconclusive, true, 3), row(result.Faster, true, 0), row(result.Inconclusive, true, 7), row(result.Inconclusive, true, 2)}, result.Outcome{Verdict: result.Inconclusive, More: 7}},
		{[]result.ComparisonRow{row(result.Inconclusive, true, 3), row(result.Slower, true, 0), row(result.Faster, true, 0)}, result.Outcome{Verdict: result.Slower}},
	} {
		if got := overall(c.rows); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.rows, got, c.want)
		}
	}
}

// What is inconclusive passes by the rule only.
func TestFailed(t *testing.T) {
	t.Parallel()
	undecided := func(notSlower, notTwice bool) result.ComparisonRow {
		return result.ComparisonRow{Decides: true, Outcome: result.Outcome{Verdict: result.Inconclusive, NotSlower: notSlower, NotTwiceSlower: notTwice}}
	}
	plain := func(v result.Verdict, decides bool) result.ComparisonRow {
		return result.ComparisonRow{Decides: decides, Outcome: result.Outcome{Verdict: v}}
	}
	for _, c := range []struct {
		row              result.ComparisonRow
		auto, fail, pass bool // whether the gate fails
	}{
		{plain(result.Slower, true), true, true, true},
		{plain(result.Slower, false), false, false, false},
		{plain(result.Inconclusive, false), false, false, false},
		{plain(result.Same, true), false, false, false},
		{plain(result.Faster, true), false, false, false},
		{undecided(false, false), true, true, false},
		{undecided(false, true), false, true, false},
		{undecided(true, true), false, false, false},
	} {
		for rule, want := range map[result.Undecided]bool{"": c.auto, result.UndecidedAuto: c.auto, result.UndecidedFail: c.fail, result.UndecidedPass: c.pass} {
			rep := &result.Comparison{Undecided: rule, Rows: []result.ComparisonRow{c.row}, Outcome: result.Outcome{Verdict: result.Same}}
			if rep.Failed() != want {
				t.Errorf("--undecided %s, %+v: failed is %v", rule, c.row.Outcome, !want)
			}
		}
	}
	if rep := (&result.Comparison{Outcome: result.Outcome{Verdict: result.NotComparable}}); !rep.Failed() {
		t.Error("what was not compared has not passed")
	}
	for severity, want := range map[result.Severity]bool{result.Note: false, result.Incomplete: true, result.Refused: true, result.Invalid: true} {
		rep := &result.Comparison{Outcome: result.Outcome{Verdict: result.Same}, Problems: []result.Problem{{Severity: severity}}}
		if rep.Failed() != want {
			t.Errorf("%s: failed is %v", severity, !want)
		}
	}
}

func TestOutcomeText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    result.Outcome
		want string
	}{
		{result.Outcome{Verdict: result.Faster}, "faster"},
		{result.Outcome{Verdict: result.Slower}, "slower"},
		{result.Outcome{Verdict: result.NotComparable}, "not comparable"},
		{result.Outcome{Verdict: result.Same, Within: 0.0301, NotSlower: true}, "same within 4%"},
		{result.Outcome{Verdict: result.Same, Within: 0.03}, "same within 3%"},
		{result.Outcome{Verdict: result.Same, Within: 0.0012}, "same within 0.2%"},
		{result.Outcome{Verdict: result.Inconclusive, More: 1}, "inconclusive: 1 more run"},
		{result.Outcome{Verdict: result.Inconclusive, More: 12}, "inconclusive: 12 more runs"},
		{result.Outcome{Verdict: result.Inconclusive, More: 12, NotSlower: true}, "inconclusive: 12 more runs"},
		{result.Outcome{Verdict: result.Inconclusive, More: result.MoreCap}, "inconclusive: 1000+ more runs"},
	} {
		if got := c.o.Text("run"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}

// Laws that hold for any samples: units do not matter; exchanged, the ratio is
// inverted; "same" is never beyond the margin; the verdicts do not contradict
// the interval.
func TestCompareLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		n := rapid.IntRange(1, 14).Draw(t, "n")
		sd := rapid.SampledFrom([]float64{0, 0.01, 0.05, 0.3}).Draw(t, "noise")
		factor := rapid.Float64Range(0.5, 2).Draw(t, "factor")
		o := Options{MaxSlowdown: rapid.SampledFrom([]float64{0, 0.05, 0.2}).Draw(t, "margin")}
		base, new := simulated(rng, "base", n, normal(sd), 1, 1), simulated(rng, "new", rapid.IntRange(1, 14).Draw(t, "m"), normal(sd), factor, 1)
		rep, err := Compare(base, new, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rep.Rows {
			if r.Ratio.Low > r.Ratio.Value*(1+1e-9) || r.Ratio.High < r.Ratio.Value*(1-1e-9) {
				t.Fatalf("the ratio is outside its interval: %+v", r)
			}
			if r.P < 0 || r.P > 1 {
				t.Fatalf("p = %g", r.P)
			}
			excludesOne := r.Ratio.Low > 1 || r.Ratio.High < 1
			switch {
			case (r.Verdict == result.Slower || r.Verdict == result.Faster) && !excludesOne,
				r.Verdict == result.Same && (!r.Ratio.Bounded() || r.Within > o.MaxSlowdown+1e-9 || !r.NotSlower),
				r.Verdict == result.Slower && r.NotSlower,
				r.Verdict == result.Inconclusive && r.Drift == "" && r.More < 1,
				// What depends on the order of the runs supports no claim at all.
				r.Drift != "" && r.Outcome != result.Outcome{Verdict: result.Inconclusive}:
				t.Fatalf("%#v", r)
			}
			if r.Verdict == result.Slower && (r.Ratio.Value < 1) != r.HigherIsBetter {
				t.Fatalf("slower in the wrong direction: %+v", r)
			}
		}
		back, err := Compare(new, base, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rep.Rows {
			if b := back.Rows[i]; math.Abs(r.Ratio.Value*b.Ratio.Value-1) > 1e-9 || math.Abs(r.P-b.P) > 1e-9 {
				t.Fatalf("exchanged:\n%+v\n%+v", r, b)
			}
		}
		text, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		var again result.Comparison
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(*rep, again); d != "" {
			t.Fatalf("written and read, it differs: %s", d)
		}
	})
}
