package capacity

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func swept(name string, rate float64, workers int, cpu float64) *Strategy {
	return &Strategy{Name: name, Sweep: &Sweep{
		Outcome: Found, Best: workers, Recommended: workers, BestPerS: exact(rate),
		Rows: []Row{{Clients: workers, OrdersPerS: Estimate{rate, 0.97 * rate, 1.03 * rate}, CPUPerOrder: cpu, P99MS: 3}},
	}}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	target := func(s *Strategy, outcome Outcome, workers int, answer string) *Strategy {
		s.Target = &Target{Outcome: outcome, Workers: workers, Rate: 2000, Answer: answer}
		return s
	}
	invalid := swept("naive", 9000, 1, 1e-5)
	invalid.Invalid = "its audit failed"
	unlogged := swept("fast", 9000, 4, 1e-5)
	unlogged.Unlogged = true
	searched := swept("searched", 9000, 8, 1e-5)
	searched.Search = &Search{Outcome: Never, Answer: "never holds"}
	held := swept("held", 900, 8, 1e-5)
	held.Search = &Search{Outcome: Found, Rate: exact(500), Workers: 3, Probes: []*Probe{
		{Rate: 400, Workers: 3, Holds: true, P99MS: 1}, {Rate: 500, Workers: 3, Holds: true, P99MS: 2, CPUPerOrder: 3e-5}, {Rate: 600, Workers: 3, P99MS: 9}, {Rate: 500, Workers: 4, Holds: true, P99MS: 5},
	}}
	if k := contender(held); k.P99MS != 2 || k.CPUPerOrder != 3e-5 {
		t.Errorf("latency and cost are not those of the rate: %+v", k)
	}
	for _, c := range []struct {
		name       string
		strategies []*Strategy
		want       string
		says       []string
	}{
		{"highest rate", []*Strategy{swept("a", 1000, 4, 1e-5), swept("b", 2000, 64, 1e-4)}, "b", []string{"take b: 2,000 orders/s with 64 workers, 100 % more than a"}},
		{"equal rates, fewer workers", []*Strategy{swept("a", 2000, 64, 1e-5), swept("b", 1990, 8, 1e-5), swept("c", 100, 1, 1e-5)}, "b", []string{"2 strategies do as much within 3 %", "8 workers"}},
		{"equal rates and workers, less CPU", []*Strategy{swept("a", 2000, 8, 1e-4), swept("b", 1990, 8, 1e-5)}, "b", []string{"10 us of CPU"}},
		{"a failed audit", []*Strategy{invalid, swept("b", 100, 8, 1e-5)}, "b", []string{"the only one"}},
		{"unlogged", []*Strategy{unlogged, swept("b", 100, 8, 1e-5)}, "fast", []string{"a crash empties the queue"}},
		{"no level holds", []*Strategy{searched, invalid}, "", []string{"no strategy can be recommended: naive: its audit failed; searched: never holds"}},
		{"only one has a level", []*Strategy{held, swept("b", 9000, 8, 1e-5)}, "held", []string{"500 orders/s with 3 workers, the only one"}},
		{"far ahead", []*Strategy{swept("a", 9000, 8, 1e-5), swept("b", 1000, 8, 1e-5)}, "a", []string{"9.0 times as much as b"}},
		{"none", nil, "", []string{"none was measured"}},
		{"unmeasured", []*Strategy{{Name: "x"}}, "", []string{"x: it was not measured"}},
		{"target", []*Strategy{
			target(swept("a", 9000, 64, 1e-5), Found, 9, ""), target(swept("b", 3000, 8, 1e-5), Found, 3, ""), target(swept("c", 1000, 8, 1e-5), Impossible, 0, "can't be done"),
		}, "b", []string{"it holds 2,000 orders/s with 3 workers, a needs 9"}},
	} {
		got := Compare(c.strategies, 0.03)
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
		var all []*Strategy
		for i := range rapid.IntRange(1, 6).Draw(t, "n") {
			rate := rapid.Float64Range(1000, 1200).Draw(t, "rate")
			all = append(all, swept(string(rune('a'+i)), rate, rapid.IntRange(1, 9).Draw(t, "workers"), 1e-5*float64(i+1)))
		}
		want := Compare(all, 0.03)
		shuffled := rapid.Permutation(all).Draw(t, "order")
		if got := Compare(shuffled, 0.03); cmp.Diff(got, want) != "" {
			t.Fatal(cmp.Diff(got, want))
		}
	})
}

func TestReportSurvivesJSON(t *testing.T) {
	t.Parallel()
	in := &Report{Strategies: []*Strategy{swept("a", 1000, 4, 1e-5)}, Comparison: Compare([]*Strategy{swept("a", 1000, 4, 1e-5)}, 0.03)}
	limit := 1200.0
	in.Strategies[0].Soak = SoakDrift(1, []Series{{Name: "orders/s", Values: []float64{1, 2, 3, 4, 5, 6, 7}, Limit: &limit}})
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out Report
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&out)
	if err != nil || string(again) != string(data) {
		t.Errorf("%v:\n%s\n%s", err, data, again)
	}
}

func TestEstimateJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[Estimate]string{
		{2, 1, 3}:                      `{"value":2,"low":1,"high":3}`,
		{math.Inf(1), 7, math.Inf(1)}:  `{"value":null,"low":7,"high":null}`,
		{1, math.Inf(-1), math.Inf(1)}: `{"value":1,"low":null,"high":null}`,
	} {
		data, err := json.Marshal(in)
		if err != nil || string(data) != want {
			t.Errorf("%+v: %s, %v", in, data, err)
		}
		var out Estimate
		if err := json.Unmarshal(data, &out); err != nil || out != in {
			t.Errorf("%s: %+v, %v", data, out, err)
		}
	}
	var e Estimate
	if err := json.Unmarshal([]byte(`{"value":"x"}`), &e); err == nil {
		t.Error("a word was read as a value")
	}
}

// Reference values: DLMF, and the tables of Student's t and F in Draper and
// Smith (1998).
func TestDistributions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"t 1", tQuantile(0.95, 1), 12.7062}, {"t 5", tQuantile(0.95, 5), 2.5706}, {"t 30", tQuantile(0.99, 30), 2.7500},
		{"t large", tQuantile(0.95, 1e6), 1.95997}, {"normal", normalQuantile(0.95), 1.95996},
		{"F 3 10", fTail(3.7083, 3, 10), 0.05}, {"F 5 2", fTail(99.30, 5, 2), 0.01}, {"F 0", fTail(0, 3, 3), 1},
		{"beta", incompleteBeta(0.5, 2, 2), 0.5}, {"beta 0", incompleteBeta(0, 2, 2), 0}, {"beta 1", incompleteBeta(1, 2, 2), 1},
	} {
		if math.Abs(c.got-c.want) > 1e-4*math.Max(1, c.want) {
			t.Errorf("%s: %g, want %g", c.name, c.got, c.want)
		}
	}
	if p := chiSquareTail(18.307, 10); math.Abs(p-0.05) > 0.002 {
		t.Errorf("χ²: %g", p)
	}
	if !math.IsInf(tQuantile(0.95, 0), 1) || chiSquareTail(0, 3) != 1 {
		t.Error("without degrees of freedom")
	}
}

func TestBatchMeansCover(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(51, 1))
	for _, n := range []int{5, 30, 31, 600} {
		held := 0
		const trials = 400
		for range trials {
			series := make([]float64, n)
			for i := range series {
				series[i] = 100 + 10*rng.NormFloat64()
			}
			if BatchMeans(series).Holds(100) {
				held++
			}
		}
		if held < trials*92/100 {
			t.Errorf("%d values: %d of %d", n, held, trials)
		}
	}
	if e := BatchMeans([]float64{7}); e.Value != 7 || e.Bounded() {
		t.Errorf("one value: %+v", e)
	}
	if e := BatchMeans(nil); !math.IsNaN(e.Value) {
		t.Errorf("no value: %+v", e)
	}
}
