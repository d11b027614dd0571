package report

import (
	"math"
	"strings"
	"testing"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

func TestRankingOrder(t *testing.T) {
	t.Parallel()
	k := rank(matrix().Runs)
	if len(k.entries) != 8 {
		t.Fatalf("%d entries for 4 strategies at 2 client counts", len(k.entries))
	}
	for i, e := range k.entries {
		last := i == len(k.entries)-1
		if len(e.runs) != 3 {
			t.Errorf("%s: %d repeats, want 3", e.strategy, len(e.runs))
		}
		if last != (e.place == 0) || last != (e.audit == AuditFailed) {
			t.Errorf("entry %d: place %d, audit %v; only the last has a failed audit and no place", i, e.place, e.audit)
		}
		if i > 0 && !last && e.ordersPerS.median > k.entries[i-1].ordersPerS.median {
			t.Errorf("entry %d is faster than the one above it", i)
		}
		if !last && math.Abs(e.ratio-e.ordersPerS.median/k.entries[0].ordersPerS.median) > 1e-12 {
			t.Errorf("entry %d: ratio %v", i, e.ratio)
		}
	}
	if !strings.Contains(k.warning, "advisory-lock ran on unlogged tables") {
		t.Errorf("no warning about durability: %q", k.warning)
	}
}

func TestNoDurabilityWarningAmongEquals(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		a, b := newRun("a", 1, 5, 1, 100, 0), newRun("b", 1, 5, 1, 100, 0)
		a.Unlogged, b.Unlogged = on, on
		if k := rank([]*result.Run{a, b}); k.warning != "" {
			t.Errorf("unlogged = %v for both: %q", on, k.warning)
		}
	}
}

func TestParametersTellRunsApart(t *testing.T) {
	t.Parallel()
	a, b, c := newRun("batch", 8, 5, 1, 100, 0), newRun("batch", 8, 5, 1, 200, 0), newRun("other", 8, 5, 1, 300, 0)
	a.Params = result.Assign(map[string]string{"batch": "10", "same": "1"})
	b.Params = result.Assign(map[string]string{"batch": "100", "same": "1"})
	c.Params = result.Assign(map[string]string{"same": "2"})
	k := rank([]*result.Run{a, b, c})
	var got []string
	for _, e := range k.entries {
		got = append(got, e.strategy)
	}
	if want := "other|batch batch=100|batch batch=10"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

func TestWithoutOrdersTPSRanks(t *testing.T) {
	t.Parallel()
	slow, fast := newRun("slow", 1, 5, 1, 100, 0), newRun("fast", 1, 5, 1, 200, 0)
	for _, r := range []*result.Run{slow, fast} {
		r.CountsOrders, r.OrdersPerS, r.Audit, r.Workload = false, 0, nil, ""
	}
	k := rank([]*result.Run{slow, fast})
	if k.byOrders || k.entries[0].strategy != "fast" || k.entries[1].ratio != 0.5 {
		t.Errorf("got %+v", k)
	}
}

// Places are 1, 2, 3 … without gaps, scores fall, and no run is lost.
func TestRankingProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var runs []*result.Run
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			runs = append(runs, &result.Run{
				Configuration: result.Configuration{Strategy: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "strategy"), Clients: rapid.IntRange(1, 2).Draw(t, "clients")},

				OrdersPerS: rapid.Float64Range(0, 1e6).Draw(t, "orders"), CountsOrders: rapid.Bool().Draw(t, "counts"),
				Audit: &result.Audit{OK: rapid.Bool().Draw(t, "ok")},
			})
		}
		k := rank(runs)
		seen, place := 0, 0
		for i := range k.entries {
			e := &k.entries[i]
			seen += len(e.runs)
			if e.place == 0 {
				continue
			}
			if place++; e.place != place {
				t.Fatalf("place %d after %d", e.place, place-1)
			}
			if e.ratio > 1 || place > 1 && k.score(e) > k.score(&k.entries[i-1]) {
				t.Fatalf("place %d: score %v, ratio %v", place, k.score(e), e.ratio)
			}
			if s := e.ordersPerS; s.median < s.min || s.median > s.max {
				t.Fatalf("median outside of the range: %+v", s)
			}
		}
		if seen != len(runs) {
			t.Fatalf("%d of %d runs are in the ranking", seen, len(runs))
		}
	})
}
