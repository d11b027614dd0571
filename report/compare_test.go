package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"qbench/internal/compare"
	"qbench/internal/result"
)

// comparedSet is n runs of each strategy, whose throughput is the factor's part
// of 5,000 orders/s.
func comparedSet(name string, seed uint64, n int, noise float64, factors map[string]float64) compare.Set {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := compare.Set{Name: name}
	for _, strategy := range []string{"for-update", "skip-locked", "advisory|lock"} {
		factor, has := factors[strategy]
		if !has {
			continue
		}
		for range n {
			r := &result.Run{Env: &testEnvironment, Configuration: result.Configuration{Strategy: strategy, Layout: "plain", Mode: "prepared", Clients: 64, WantDurationS: 10}, CountsOrders: true}
			r.OrdersPerS = 5000 * factor * (1 + noise*(2*rng.Float64()-1))
			r.TPS, r.Orders, r.Transactions = r.OrdersPerS, int64(10*r.OrdersPerS), int64(10*r.OrdersPerS)
			r.Latency.P50, r.Latency.P99 = 64e3/r.TPS, 300e3/r.TPS*(1+0.2*rng.Float64())
			r.Client.CPUSeconds = float64(r.Orders) * 40e-6 * (1 + 0.05*rng.Float64())
			s.Runs = append(s.Runs, r)
		}
	}
	return s
}

func comparisons(t testing.TB) map[string]*result.Comparison {
	t.Helper()
	base := func(n int, noise float64) compare.Set {
		return comparedSet("main.json", 1, n, noise, map[string]float64{"for-update": 1, "skip-locked": 4, "advisory|lock": 2})
	}
	set := func(n int, noise, forUpdate, skipLocked, advisory float64) compare.Set {
		return comparedSet("pr.json", 2, n, noise, map[string]float64{"for-update": forUpdate, "skip-locked": skipLocked, "advisory|lock": advisory})
	}
	do := func(base, new compare.Set, o compare.Options) *result.Comparison {
		o.MaxSlowdown = 0.05
		r, err := compare.Compare(base, new, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	other := set(10, 0.02, 1, 4, 2)
	env := testEnvironment
	env.ServerVersion, env.HostCPU = "16.4", "Other CPU"
	for _, r := range other.Runs {
		r.Env = &env
		r.ServerMajor, r.Settings = 16, result.Assign(map[string]string{"synchronous_commit": "off"})
	}
	failed := set(10, 0.02, 1, 4, 2)
	failed.Runs[0].Audit = &result.Audit{Lost: 1}
	missing := set(10, 0.02, 1, 4, 2)
	missing.Runs = missing.Runs[10:]
	missing.Runs[0].AbortedClients = 3
	drifting := set(10, 0.02, 1, 4, 2)
	for i, r := range drifting.Runs {
		r.OrdersPerS *= 1 - 0.04*float64(i%10)
	}
	queue := func(p99 float64) compare.Set {
		s := comparedSet("queue.json", 3, 10, 0.02, map[string]float64{"skip-locked": 1})
		for i, r := range s.Runs {
			r.Enqueue.Producers, r.Enqueue.Rate, r.Producers = 2, 100, &result.Producers{}
			queue := result.Latency{P99: p99 * (1 + 0.01*float64(i*7%10))}
			r.Steady = &result.Steady{QueueTime: &queue}
			if p99 > 1000 {
				r.Steady.QueueTimeAtMost = &result.Bounds{P99: math.Inf(1)}
			}
			r.StartedAt = testEnvironment.StartedAt.Add(time.Duration(i) * time.Minute)
			if p99 > 1000 {
				r.StartedAt = r.StartedAt.Add(time.Hour)
			}
		}
		return s
	}
	groups := func(common, rare float64) compare.Set {
		s := comparedSet("groups.json", 3, 11, 0, map[string]float64{"skip-locked": 0.4})
		for i, r := range s.Runs {
			r.OrdersPerS *= []float64{common, rare}[i%2]
		}
		return s
	}
	interrupted := trial(t, 2, 1, 0.97, compare.Options{})
	interrupted.Interrupted = true
	return map[string]*result.Comparison{
		"slower":      do(base(10, 0.02), set(10, 0.02, 0.8, 4.6, 2), compare.Options{}),
		"same":        do(base(10, 0.01), set(10, 0.01, 1, 4, 2), compare.Options{}),
		"faster":      do(base(10, 0.02), set(10, 0.02, 1.3, 5.2, 2.5), compare.Options{}),
		"few":         do(base(2, 0.02), set(3, 0.02, 0.5, 4, 2), compare.Options{}),
		"undecided":   do(base(6, 0.2), set(6, 0.2, 0.97, 4, 2), compare.Options{Gate: []string{"orders_per_s", "p99"}, Alpha: 0.05}),
		"passed":      do(base(6, 0.2), set(6, 0.2, 0.97, 4, 2), compare.Options{Undecided: result.UndecidedPass}),
		"not-slower":  do(base(10, 0.06), set(10, 0.06, 1.03, 4.1, 2.05), compare.Options{Undecided: result.UndecidedFail}),
		"refused":     do(base(10, 0.02), other, compare.Options{}),
		"across":      do(base(10, 0.02), other, compare.Options{Across: []string{"server", "synchronous_commit"}}),
		"missing":     do(base(10, 0.02), missing, compare.Options{}),
		"drift":       do(base(10, 0.02), drifting, compare.Options{}),
		"queue":       do(queue(10), queue(10_000), compare.Options{}),
		"groups":      do(groups(1.0025, 1.78), groups(1.014, 0.5622), compare.Options{}),
		"audit":       do(base(10, 0.02), failed, compare.Options{}),
		"pairs":       trial(t, 9, 1, 0.8, compare.Options{}),
		"pairs-few":   trial(t, 2, 1, 0.97, compare.Options{Gate: []string{"orders_per_s", "p99"}}),
		"interrupted": interrupted,
		"stand-still": do(base(6, 0.02), set(6, 0.02, 0, 4, 2), compare.Options{}),
	}
}

// trial is a paired comparison of a strategy and one that is factor as fast.
func trial(t testing.TB, pairs int, seed uint64, factor float64, o compare.Options) *result.Comparison {
	t.Helper()
	o.MaxSlowdown = 0.05
	tr, err := compare.NewTrial("--strategy=skip-locked", "--strategy='advisory|lock'", o, 30, compare.NewOrder(seed))
	if err != nil {
		t.Fatal(err)
	}
	a := comparedSet("a", seed, pairs, 0.02, map[string]float64{"skip-locked": 1}).Runs
	b := comparedSet("b", seed+1, pairs, 0.02, map[string]float64{"advisory|lock": factor}).Runs
	for i := range pairs {
		if err := tr.Add(a[i], b[i]); err != nil {
			t.Fatal(err)
		}
	}
	return tr.Report()
}

func renderComparison(t testing.TB, format func(io.Writer, *result.Comparison, Options) error, r *result.Comparison, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := format(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenComparisons(t *testing.T) {
	t.Parallel()
	for name, r := range comparisons(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "compare/"+name+".txt", renderComparison(t, CompareText, r, Options{Width: 120}))
			golden(t, "compare/"+name+".md", renderComparison(t, CompareMarkdown, r, Options{}))
			golden(t, "compare/"+name+".json", render(t, JSON, &result.File{Comparison: r}, Options{}))
			golden(t, "compare/"+name+".xml", renderComparison(t, CompareJUnit, r, Options{}))
		})
	}
	for _, width := range []int{40, 60, 80} {
		golden(t, fmt.Sprintf("compare/slower-%d.txt", width), renderComparison(t, CompareText, comparisons(t)["slower"], Options{Width: width, Color: width == 80}))
	}
}

func TestComparisonKeepsToThePage(t *testing.T) {
	t.Parallel()
	all := comparisons(t)
	rapid.Check(t, func(t *rapid.T) {
		r := *all[rapid.SampledFrom([]string{"slower", "few", "undecided", "refused", "across", "drift", "queue", "stand-still", "pairs"}).Draw(t, "case")]
		r.Base = rapid.String().Draw(t, "base")
		r.Rows = append([]result.ComparisonRow(nil), r.Rows...)
		strategy := rapid.StringN(1, 60, 200).Draw(t, "strategy")
		for i := range r.Rows {
			r.Rows[i].Strategy += strategy
		}
		o := Options{Width: rapid.IntRange(0, 200).Draw(t, "width")}
		var b bytes.Buffer
		if err := CompareText(&b, &r, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if got := cells(strings.TrimSuffix(line, "\n")); got > o.width() {
				t.Fatalf("%d cells where there are %d: %q", got, o.width(), line)
			}
		}
	})
}

// Programs get what the report says, whatever the names are.
func TestComparisonFilesParse(t *testing.T) {
	t.Parallel()
	all := comparisons(t)
	rapid.Check(t, func(t *rapid.T) {
		r := *all[rapid.SampledFrom([]string{"slower", "few", "undecided", "refused", "missing", "queue", "stand-still"}).Draw(t, "case")]
		r.New = rapid.String().Draw(t, "new")
		r.Rows = append([]result.ComparisonRow(nil), r.Rows...)
		for i := range r.Rows {
			r.Rows[i].Strategy = rapid.String().Draw(t, "strategy")
		}
		var b bytes.Buffer
		if err := JSON(&b, &result.File{Comparison: &r}, Options{}); err != nil {
			t.Fatal(err)
		}
		var file struct {
			Comparison struct {
				Failed  bool                   `json:"failed"`
				Verdict result.Verdict         `json:"verdict"`
				Rows    []result.ComparisonRow `json:"rows"`
			} `json:"comparison"`
		}
		if err := json.Unmarshal(b.Bytes(), &file); err != nil {
			t.Fatal(err)
		}
		back := file.Comparison
		if back.Failed != r.Failed() || back.Verdict != r.Verdict || len(back.Rows) != len(r.Rows) {
			t.Fatalf("%+v", back)
		}
		b.Reset()
		if err := CompareJUnit(&b, &r, Options{}); err != nil {
			t.Fatal(err)
		}
		var suites junitSuites
		if err := xml.Unmarshal(b.Bytes(), &suites); err != nil {
			t.Fatalf("%v in %s", err, b.String())
		}
		failures, errors := 0, 0
		for _, row := range r.Rows {
			if r.Fails(row) {
				failures++
			}
		}
		for _, p := range r.Problems {
			if p.Fails() {
				errors++
			}
		}
		if s := suites.Suites[0]; s.Failures != failures || s.Errors != errors || s.Tests != len(s.Cases) || (s.Failures+s.Errors > 0) != r.Failed() {
			t.Fatalf("%d failures, %d errors, %d tests: %s", s.Failures, s.Errors, s.Tests, b.String())
		}
	})
}

func TestLookupCompare(t *testing.T) {
	t.Parallel()
	for _, name := range OfComparison.Formats() {
		if _, err := OfComparison.Lookup(name); err != nil {
			t.Error(err)
		}
	}
	_, err := OfComparison.Lookup("markdwon")
	if want := `unknown report format "markdwon": did you mean "markdown"? (one of text, markdown, json, junit)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
