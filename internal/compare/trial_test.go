package compare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qbench/internal/result"
)

// sampleRun is a run whose latencies follow from its throughput.
func sampleRun(strategy string, rate float64) *result.Run {
	r := &result.Run{Configuration: result.Configuration{Strategy: strategy, Layout: "plain", Mode: "prepared", Clients: 8}, CountsOrders: true, OrdersPerS: rate, TPS: rate}
	r.Orders, r.Transactions, r.Client.CPUSeconds = int64(rate), int64(rate), 0.1
	r.Latency.P50, r.Latency.P99 = 8e3/rate, 40e3/rate
	return r
}

// playTrial runs a trial of b, which is factor times as fast as a, until it is done.
func playTrial(t *testing.T, rng *rand.Rand, noise, factor float64, o Options, maxPairs int) *Trial {
	t.Helper()
	tr, err := NewTrial("a", "b", o, maxPairs, NewOrder(1))
	if err != nil {
		t.Fatal(err)
	}
	for !tr.Done() {
		rate := func(factor float64) float64 { return 5000 * factor * math.Exp(noise*rng.NormFloat64()) }
		if err := tr.Add(sampleRun("skip-locked", rate(1)), sampleRun("skip-locked", rate(factor))); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

// Equals on a noisy machine are called slower in at most 1 % of trials, with
// two deciding metrics as well; chance makes it more than 13 of 600 once in a
// hundred times.
func TestTrialRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	for name, gate := range map[string][]string{"one": nil, "two": {"orders_per_s", "p99"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 1))
			slower := 0
			for range 600 {
				if playTrial(t, rng, 0.2, 1, Options{MaxSlowdown: 0.05, Gate: gate}, 20).Report().Verdict == result.Slower {
					slower++
				}
			}
			if slower > 13 {
				t.Errorf("%d of 600 trials of equals say slower", slower)
			}
		})
	}
}

func TestTrialFindsASlowdown(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 1))
	for range 100 {
		tr := playTrial(t, rng, 0.05, 0.7, Options{MaxSlowdown: 0.05}, 0)
		if r := tr.Report(); r.Verdict != result.Slower || !r.Failed() {
			t.Fatalf("a slowdown of 30 %% is %q after %d pairs", r.Verdict, tr.Pairs())
		}
		if tr.Pairs() > 40 {
			t.Errorf("%d pairs for a slowdown of 30 %% at 5 %% noise", tr.Pairs())
		}
	}
}

func TestTrialReport(t *testing.T) {
	t.Parallel()
	tr, err := NewTrial("x", "y", Options{MaxSlowdown: 0.05}, 0, NewOrder(1))
	if err != nil {
		t.Fatal(err)
	}
	if r := tr.Report(); r.Verdict != result.NotComparable || tr.Done() {
		t.Errorf("before the first pair: %+v", r.Outcome)
	}
	a, b := sampleRun("for-update", 1000), sampleRun("skip-locked", 1100)
	b.Clients, b.Unlogged = 16, true
	b.Latency.P50 = 0 // not measured: the metric is left out, and decides nothing
	for range 2 {
		if err := tr.Add(a, b); err != nil {
			t.Fatal(err)
		}
	}
	r := tr.Report()
	var metrics []string
	for _, row := range r.Rows {
		metrics = append(metrics, row.Metric)
	}
	if diff := cmp.Diff([]string{"orders_per_s", "p99", "client_cpu_per_order"}, metrics); diff != "" {
		t.Error(diff)
	}
	row := r.Rows[0]
	if got, want := row.Name(), "for-update, plain, prepared, 8 clients; strategy for-update against skip-locked; unlogged none against yes; client 8 against 16"; got != want {
		t.Errorf("the configuration is %q, want %q", got, want)
	}
	if !row.Decides || row.BaseRuns != 2 || row.BaseMedian.Value != 1000 || row.NewMedian.Value != 1100 || math.Abs(row.Ratio.Value-1.1) > 1e-9 {
		t.Errorf("%+v", row)
	}
	if diff := cmp.Diff([][2]float64{{1000, 1100}, {1000, 1100}}, row.Pairs); diff != "" {
		t.Error(diff)
	}
	if got, want := fmt.Sprint(row.Across), "[strategy for-update against skip-locked unlogged none against yes client 8 against 16]"; got != want {
		t.Errorf("across %s, want %s", got, want)
	}
	if o := NewOrder(1); !slices.Equal(r.Order, []string{o.Name(0), o.Name(1)}) || r.OrderSeed != 1 {
		t.Errorf("order %q of seed %d", r.Order, r.OrderSeed)
	}
	if r.Verdict != result.Inconclusive || !r.Paired || r.SampleName() != "pair" {
		t.Errorf("%+v", r)
	}
}

// What is no part of a configuration is named, and so is a gate that is blind.
func TestTrialNamesProblems(t *testing.T) {
	t.Parallel()
	tr, err := NewTrial("a", "b", Options{MaxSlowdown: 0.05}, 0, NewOrder(1))
	if err != nil {
		t.Fatal(err)
	}
	var runs [2]*result.Run
	for i, version := range []string{"15.17", "15.18"} {
		runs[i] = sampleRun("s", 1000)
		runs[i].Enqueue = result.Enqueue{Producers: 1, Rate: 500}
		runs[i].Env = &result.Environment{ServerVersion: version}
		runs[i].Scripts = []result.Script{{Name: "s", Digest: "of " + version}}
		runs[i].Steady = &result.Steady{QueueTime: &result.Latency{P99: 10}}
	}
	if err := tr.Add(runs[0], runs[1]); err != nil {
		t.Fatal(err)
	}
	r := tr.Report()
	var kinds []string
	for _, p := range r.Problems {
		kinds = append(kinds, p.Kind)
	}
	if want := []string{"different", "different"}; !slices.Equal(kinds, want) || r.Problems[1].Text != "also different: server version 15.17 against 15.18" {
		t.Errorf("%+v, want %q", r.Problems, want)
	}
	// With producers the queue time decides too, so each has half of the level.
	if want := []string{"orders_per_s", "queue_p99"}; !slices.Equal(r.Gate, want) || tr.LeastPairs() != 10 {
		t.Errorf("gate %q, least %d", r.Gate, tr.LeastPairs())
	}
}

func TestTrialRefuses(t *testing.T) {
	t.Parallel()
	if _, err := NewTrial("a", "b", Options{MaxSlowdown: 0}, 0, NewOrder(1)); err == nil {
		t.Error("a maximum slowdown of 0 is accepted")
	}
	if _, err := NewTrial("a", "b", Options{MaxSlowdown: 0.05, Gate: []string{"p98"}}, 0, NewOrder(1)); err == nil {
		t.Error("an unknown metric is accepted")
	}
	if _, err := NewTrial("a", "b", Options{MaxSlowdown: 0.05}, 2, NewOrder(1)); err == nil {
		t.Error("a budget below the least number of pairs is accepted")
	}
	good := sampleRun("s", 1000)
	for want, change := range map[string]func(*result.Run){
		"b: the run is no sample: it failed its audit, so its numbers mean nothing: 1 order is lost": func(r *result.Run) {
			r.Audit = &result.Audit{Lost: 1, Problems: []string{"1 order is lost"}}
		},
		"b: the run is no sample: it was NOT AUDITED: the server is gone": func(r *result.Run) { r.Audit = &result.Audit{Reason: "the server is gone"} },
		"b: the run is no sample: it was NOT AUDITED":                     func(r *result.Run) { r.Workload = "orders" },
		"it was interrupted":                     func(r *result.Run) { r.Interrupted = true },
		"it lost 2 of 8 clients (out of memory)": func(r *result.Run) { r.AbortedClients, r.Errors = 2, []string{"out of memory"} },
		"its orders_per_s is 0":                  func(r *result.Run) { r.OrdersPerS = 0 },
	} {
		tr, err := NewTrial("a", "b", Options{MaxSlowdown: 0.05}, 0, NewOrder(1))
		if err != nil {
			t.Fatal(err)
		}
		bad := sampleRun("s", 1000)
		change(bad)
		if err := tr.Add(good, bad); !errors.Is(err, ErrNotASample) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if tr.Pairs() != 0 {
			t.Error("the pair was taken")
		}
		if err := tr.Add(good, good); err != nil {
			t.Errorf("after a refused pair: %v", err)
		}
	}
}
