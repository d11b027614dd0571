package capacity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
)

// server simulates a server's closed-loop throughput; its clock moves only
// while something is measured.
type server struct {
	rng     *rand.Rand
	curve   func(clients float64) float64
	noise   float64 // between runs, relative
	within  float64 // between the seconds of a run
	drift   float64 // relative change per hour
	limit   int     // connections; 0: none
	orders  int64   // seeded unless a point says otherwise; 0: enough
	fail    int     // the measurement, from 1, that fails
	elapsed time.Duration
	calls   []result.Point
}

var errBroken = errors.New("disk on fire")

func (s *server) now() time.Time { return time.Unix(1e9, 0).Add(s.elapsed) }

func (s *server) measure(ctx context.Context, p result.Point) (result.Sample, error) {
	if err := ctx.Err(); err != nil {
		return result.Sample{}, err
	}
	s.calls = append(s.calls, p)
	if s.fail == len(s.calls) {
		return result.Sample{}, errBroken
	}
	if s.limit > 0 && p.Clients > s.limit {
		return result.Sample{}, fmt.Errorf("%w: %d of %d", result.ErrConnections, p.Clients, s.limit)
	}
	x := s.curve(float64(p.Clients)) * (1 + s.noise*s.rng.NormFloat64()) * math.Exp(s.drift*s.elapsed.Hours())
	out := result.Sample{OrdersPerS: x, DurationS: p.Duration.Seconds(), IntervalS: 1, CPUPerOrder: 2e-5, CPUShare: 0.1}
	orders := s.orders
	if p.Orders > 0 {
		orders = p.Orders
	}
	if whole := x * out.DurationS; orders > 0 && float64(orders) < whole {
		out.Drained, out.DurationS = true, float64(orders)/x
	}
	for range int(out.DurationS) {
		out.Rates = append(out.Rates, x*(1+s.within*s.rng.NormFloat64()))
	}
	out.Latency = result.Latency{P50: 1000 * float64(p.Clients) / x, P99: 3000 * float64(p.Clients) / x}
	s.elapsed += p.Duration + time.Second
	return out, nil
}

func simulated(seed uint64, curve func(float64) float64) *server {
	return &server{rng: rand.New(rand.NewPCG(31, seed)), curve: curve, noise: 0.02, within: 0.02}
}

func (s *server) sweep(t *testing.T, cfg SweepConfig) *result.Sweep {
	t.Helper()
	cfg.Now, cfg.Duration = s.now, 10*time.Second
	r, err := RunSweep(t.Context(), cfg, s.measure)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSweepFindsTheBestCount(t *testing.T) {
	t.Parallel()
	for _, u := range []truth{{1000, 0.05, 0.001}, {1000, 0.02, 0.0002}, {500, 0.3, 0.02}, {700, 0.9, 0.3}} {
		good, trials := 0, 40
		for seed := range trials {
			s := simulated(uint64(seed), u.at)
			r := s.sweep(t, SweepConfig{MaxClients: 256, Seed: uint64(seed)})
			top := u.at(math.Round(u.knee()))
			if u.at(float64(r.Best)) > 0.97*top && u.at(float64(r.Recommended)) > 0.94*top && r.Recommended <= r.Best && slices.Contains(r.Same, r.Best) {
				good++
			}
			if r.Outcome != result.CapacityFound || r.Fit == nil {
				t.Fatalf("%s, fit problem %q", r.Outcome, r.FitProblem)
			}
			for _, row := range r.Rows {
				if row.OrdersPerS.Relative() > 0.03 && row.Repeats < defaultMaxRepeats-1 {
					t.Errorf("%d clients stopped after %d repeats at ±%.3f", row.Clients, row.Repeats, row.OrdersPerS.Relative())
				}
			}
		}
		if good < trials*95/100 {
			t.Errorf("%+v: the best was found in %d of %d sweeps", u, good, trials)
		}
	}
}

func TestSweepIntervalsCover(t *testing.T) {
	t.Parallel()
	u := truth{1000, 0.05, 0.001}
	held, rows := 0, 0
	for seed := range 60 {
		r := simulated(uint64(seed), u.at).sweep(t, SweepConfig{MaxClients: 64, Seed: uint64(seed)})
		for _, row := range r.Rows {
			rows++
			if row.OrdersPerS.Holds(u.at(float64(row.Clients))) {
				held++
			}
		}
	}
	t.Logf("%d of %d", held, rows)
	if held < rows*92/100 {
		t.Errorf("the intervals held in %d of %d rows", held, rows)
	}
}

// A server that loses a fifth of its speed during the sweep must not make the
// counts that came later look worse.
func TestSweepIsNotFooledByDrift(t *testing.T) {
	t.Parallel()
	for seed := range 20 {
		s := simulated(uint64(seed), func(float64) float64 { return 1000 })
		s.drift, s.noise, s.within = -0.8, 0.005, 0.005
		r := s.sweep(t, SweepConfig{Clients: []int{1, 2, 4, 8, 16, 32}, Seed: uint64(seed), Precision: 0.02})
		var values []float64
		for _, row := range r.Rows {
			values = append(values, row.OrdersPerS.Value)
		}
		if ratio := slices.Max(values) / slices.Min(values); ratio > 1.025 {
			t.Errorf("seed %d: equal counts differ by %.3f", seed, ratio)
		}
		if r.DriftPerHour == nil || !r.DriftPerHour.Holds(math.Expm1(-0.8)) && seed == 0 {
			t.Errorf("seed %d: drift %+v", seed, r.DriftPerHour)
		}
	}
}

// A steep drift over a short sweep is astronomic per hour; what is told is what
// it did to the sweep.
func TestSweepTellsDriftOverItsOwnTime(t *testing.T) {
	t.Parallel()
	s := simulated(1, func(float64) float64 { return 1000 })
	s.drift, s.noise, s.within = 40, 0.005, 0.005
	r := s.sweep(t, SweepConfig{Clients: []int{1, 2, 4, 8}, Seed: 1, Precision: 0.02})
	want := math.Expm1(40 * r.Measured[len(r.Measured)-1].AtS / 3600)
	i := slices.IndexFunc(r.Notes, func(n string) bool { return strings.Contains(n, "drifted by") })
	if i < 0 {
		t.Fatalf("no word of the drift: %q", r.Notes)
	}
	var told float64
	if _, err := fmt.Sscanf(r.Notes[i], "throughput drifted by about %f%%", &told); err != nil || math.Abs(told/100-want) > 0.1*want {
		t.Errorf("%q, but it was %.0f%% (%v)", r.Notes[i], 100*want, err)
	}
}

func TestSweepOrderIsBalanced(t *testing.T) {
	t.Parallel()
	s := simulated(1, truth{1000, 0.05, 0.001}.at)
	s.sweep(t, SweepConfig{Clients: []int{1, 2, 4, 8, 16}})
	var first, second []int
	for i, p := range s.calls[:10] {
		if i < 5 {
			first = append(first, p.Clients)
		} else {
			second = append(second, p.Clients)
		}
	}
	slices.Reverse(second)
	if !slices.Equal(first, second) || slices.IsSorted(first) {
		t.Errorf("orders %v, then backwards %v", first, second)
	}
}

func TestSweepSaysWhereItGetsWorse(t *testing.T) {
	t.Parallel()
	r := simulated(1, notUSL["plateau then cliff"]).sweep(t, SweepConfig{MaxClients: 256})
	if r.WorseFrom <= 64 || r.WorseFrom > 128 || !strings.Contains(r.Answer, "it gets worse") {
		t.Errorf("worse from %d: %s", r.WorseFrom, r.Answer)
	}
	if r.Fit == nil || r.Fit.Misfit == "" {
		t.Error("the cliff was taken for USL")
	}
	r = simulated(1, truth{1000, 0.1, 0}.at).sweep(t, SweepConfig{MaxClients: 64})
	if r.WorseFrom != 0 || strings.Contains(r.Answer, "worse") {
		t.Errorf("a plateau got worse: %s", r.Answer)
	}
	// 0.1 + 0.9/N of the ceiling: 64 is the best by a hair, 48 within 3 %.
	if r.Recommended > 60 {
		t.Errorf("recommended %d of a plateau, best %d", r.Recommended, r.Best)
	}
}

func TestSweepAnswersInsteadOfWrongNumbers(t *testing.T) {
	t.Parallel()
	rising := func(n float64) float64 { return 1000 * n }
	for name, c := range map[string]struct {
		server server
		cfg    SweepConfig
		want   result.CapacityOutcome
		says   string
	}{
		"no connection at all":      {server{curve: rising}, SweepConfig{}, result.CapacityNoConnections, "raise max_connections"},
		"all counts over limit":     {server{curve: rising}, SweepConfig{Clients: []int{8, 16}, MaxClients: 4}, result.CapacityNoConnections, "leaves 4 connections"},
		"refused at once":           {server{curve: rising, limit: -1}, SweepConfig{Clients: []int{1, 2}}, result.CapacityNoConnections, "no connections left"},
		"drains too fast":           {server{curve: rising, orders: 100}, SweepConfig{Clients: []int{1, 2, 4}, MaxOrders: 1000}, result.CapacityTooFast, "drained the whole queue in"},
		"drains too fast from 4 on": {server{curve: rising, orders: 100}, SweepConfig{Clients: []int{1, 2, 4}, MaxOrders: 15000}, result.CapacityTooFast, "the true best may be higher"},
		"nothing moves":             {server{curve: func(float64) float64 { return 0 }}, SweepConfig{Clients: []int{1}}, result.CapacityNoOrders, "moved no order"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.server
			s.rng = rand.New(rand.NewPCG(1, 1))
			if s.limit < 0 {
				inner := s
				c.cfg.Now, c.cfg.Duration = inner.now, 10*time.Second
				r, err := RunSweep(t.Context(), c.cfg, func(context.Context, result.Point) (result.Sample, error) {
					return result.Sample{}, result.ErrConnections
				})
				if err != nil || r.Outcome != c.want || !strings.Contains(r.Answer, c.says) {
					t.Errorf("%v, %+v", err, r)
				}
				return
			}
			r := s.sweep(t, c.cfg)
			if r.Outcome != c.want || !strings.Contains(r.Answer, c.says) {
				t.Errorf("%s: %s", r.Outcome, r.Answer)
			}
		})
	}
}

func TestSweepSeedsMoreWhereItDrains(t *testing.T) {
	t.Parallel()
	s := simulated(1, truth{1000, 0.05, 0}.at)
	s.orders = 4000
	r := s.sweep(t, SweepConfig{Clients: []int{1, 2, 4, 8}})
	if r.Outcome != result.CapacityFound || len(r.Rows) != 4 {
		t.Fatalf("%s: %s", r.Outcome, r.Answer)
	}
	for _, m := range r.Measured {
		if m.Drained {
			t.Errorf("%d clients were measured on a drain of %.1f s", m.Clients, m.DurationS)
		}
	}
}

func TestSweepStopsAtTheConnectionLimit(t *testing.T) {
	t.Parallel()
	s := simulated(1, truth{1000, 0.01, 0}.at)
	s.limit = 20
	r := s.sweep(t, SweepConfig{MaxClients: 64})
	for _, row := range r.Rows {
		if row.Clients > 20 {
			t.Errorf("a row for %d clients", row.Clients)
		}
	}
	if r.Outcome != result.CapacityFound || !strings.Contains(strings.Join(r.Notes, "\n"), "no connections left") {
		t.Errorf("%s, notes %q", r.Outcome, r.Notes)
	}
}

func TestSweepKeepsWhatItHasOnAnError(t *testing.T) {
	t.Parallel()
	s := simulated(1, truth{1000, 0.05, 0.001}.at)
	s.fail = 7
	r, err := RunSweep(t.Context(), SweepConfig{MaxClients: 16, Now: s.now, Duration: time.Second}, s.measure)
	if !errors.Is(err, errBroken) || r == nil || len(r.Measured) != 6 || r.Outcome != result.CapacityUnfinished || !strings.Contains(r.Answer, "disk on fire") {
		t.Errorf("%v: %+v", err, r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s = simulated(1, truth{1000, 0.05, 0.001}.at)
	seen := 0
	r, err = RunSweep(ctx, SweepConfig{MaxClients: 16, Now: s.now, Duration: time.Second, Observe: func(result.Measurement) {
		if seen++; seen == 3 {
			cancel()
		}
	}}, s.measure)
	if !errors.Is(err, context.Canceled) || len(r.Measured) != 3 {
		t.Errorf("%v after %d", err, len(r.Measured))
	}
	if !strings.HasSuffix(r.Answer, "; the sweep was interrupted") || strings.Contains(strings.Join(r.Notes, ";"), "after up to") {
		t.Errorf("%s; %q", r.Answer, r.Notes)
	}
}

func TestSweepIsData(t *testing.T) {
	t.Parallel()
	r := simulated(1, truth{1000, 0.05, 0}.at).sweep(t, SweepConfig{MaxClients: 32})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back result.Sweep
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(data) {
		t.Errorf("%v: %s became %s", err, data, again)
	}
}
