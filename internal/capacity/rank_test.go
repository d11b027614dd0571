package capacity

import (
	"strings"
	"testing"

	"qbench/internal/result"
	"qbench/internal/stats"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func swept(name string, rate float64, workers int, cpu float64) *result.Capacity {
	return &result.Capacity{Name: name, Sweep: &result.Sweep{
		Outcome: result.CapacityFound, Best: workers, Recommended: workers, BestPerS: stats.Unbounded(rate),
		Rows: []result.SweepRow{{Clients: workers, OrdersPerS: stats.Interval(rate, 0.97*rate, 1.03*rate), CPUPerOrder: cpu, P99MS: 3}},
	}}
}

func TestRank(t *testing.T) {
	t.Parallel()
	target := func(s *result.Capacity, outcome result.CapacityOutcome, workers int, answer string) *result.Capacity {
		s.Target = &result.Target{Outcome: outcome, Workers: workers, Rate: 2000, Answer: answer}
		return s
	}
	invalid := swept("naive", 9000, 1, 1e-5)
	invalid.Invalid = "its audit failed"
	unlogged := swept("fast", 9000, 4, 1e-5)
	unlogged.Unlogged = true
	searched := swept("searched", 9000, 8, 1e-5)
	searched.Search = &result.Search{Outcome: result.CapacityNever, Answer: "never holds"}
	held := swept("held", 900, 8, 1e-5)
	held.Search = &result.Search{Outcome: result.CapacityFound, Rate: stats.Unbounded(500), Workers: 3, Probes: []*result.Probe{
		{Rate: 400, Workers: 3, Holds: true, P99MS: 1}, {Rate: 500, Workers: 3, Holds: true, P99MS: 2, CPUPerOrder: 3e-5}, {Rate: 600, Workers: 3, P99MS: 9}, {Rate: 500, Workers: 4, Holds: true, P99MS: 5},
	}}
	if k := contender(held); k.P99MS != 2 || k.CPUPerOrder != 3e-5 {
		t.Errorf("latency and cost are not those of the rate: %+v", k)
	}
	for _, c := range []struct {
		name       string
		strategies []*result.Capacity
		want       string
		says       []string
	}{
		{"highest rate", []*result.Capacity{swept("a", 1000, 4, 1e-5), swept("b", 2000, 64, 1e-4)}, "b", []string{"take b: 2,000 orders/s with 64 workers, 100% more than a"}},
		{"equal rates, fewer workers", []*result.Capacity{swept("a", 2000, 64, 1e-5), swept("b", 1990, 8, 1e-5), swept("c", 100, 1, 1e-5)}, "b", []string{"2 strategies do as much within 3%", "8 workers"}},
		{"equal rates and workers, less CPU", []*result.Capacity{swept("a", 2000, 8, 1e-4), swept("b", 1990, 8, 1e-5)}, "b", []string{"10 us of CPU"}},
		{"a failed audit", []*result.Capacity{invalid, swept("b", 100, 8, 1e-5)}, "b", []string{"the only one"}},
		{"unlogged", []*result.Capacity{unlogged, swept("b", 100, 8, 1e-5)}, "fast", []string{"a crash empties the queue"}},
		{"no level holds", []*result.Capacity{searched, invalid}, "", []string{"no strategy can be recommended: naive: its audit failed; searched: never holds"}},
		{"only one has a level", []*result.Capacity{held, swept("b", 9000, 8, 1e-5)}, "held", []string{"500 orders/s with 3 workers, the only one"}},
		{"far ahead", []*result.Capacity{swept("a", 9000, 8, 1e-5), swept("b", 1000, 8, 1e-5)}, "a", []string{"9.0 times as much as b"}},
		{"none", nil, "", []string{"none was measured"}},
		{"unmeasured", []*result.Capacity{{Name: "x"}}, "", []string{"x: it was not measured"}},
		{"target", []*result.Capacity{
			target(swept("a", 9000, 64, 1e-5), result.CapacityFound, 9, ""), target(swept("b", 3000, 8, 1e-5), result.CapacityFound, 3, ""), target(swept("c", 1000, 8, 1e-5), result.CapacityImpossible, 0, "can't be done"),
		}, "b", []string{"it holds 2,000 orders/s with 3 workers, a needs 9"}},
	} {
		got := Rank(c.strategies, 0.03)
		if got.Recommended != c.want {
			t.Errorf("%s: recommended %q", c.name, got.Recommended)
		}
		for _, s := range c.says {
			if !strings.Contains(got.Answer, s) {
				t.Errorf("%s: no %q in %q", c.name, s, got.Answer)
			}
		}
	}
}

// The order in which the strategies were measured decides nothing but ties.
func TestCompareIgnoresTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []*result.Capacity
		for i := range rapid.IntRange(1, 6).Draw(t, "n") {
			rate := rapid.Float64Range(1000, 1200).Draw(t, "rate")
			all = append(all, swept(string(rune('a'+i)), rate, rapid.IntRange(1, 9).Draw(t, "workers"), 1e-5*float64(i+1)))
		}
		want := Rank(all, 0.03)
		shuffled := rapid.Permutation(all).Draw(t, "order")
		if got := Rank(shuffled, 0.03); cmp.Diff(got, want) != "" {
			t.Fatal(cmp.Diff(got, want))
		}
	})
}
