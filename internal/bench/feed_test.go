package bench

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// Producers beside every strategy of every workload: what they put in is
// numbered, audited and, where it was taken, timed.
func TestFedExactlyOnce(t *testing.T) {
	t.Parallel()
	for i, s := range scenarios.List() {
		for _, notify := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/notify=%v", s.Name, notify), func(t *testing.T) {
				t.Parallel()
				spec := small(mix(t, s.Name))
				spec.Clients, spec.Queue.Orders, spec.Queue.Layout = 4, 0, s.Layouts[i%len(s.Layouts)]
				spec.Queue.PayloadBytes = 100
				spec.Load.Transactions, spec.Load.Mode, spec.Load.MaxTries = 150, runner.Modes[i%len(runner.Modes)], 100
				spec.Feed = &Feed{Clients: 2, Batch: 3, Poll: time.Millisecond, Notify: notify}
				tg := target(t)
				res := execute(t, tg, spec, Hooks{})
				if res.AbortedClients > 0 || res.Producers == nil || res.Producers.Orders != 900 {
					t.Fatalf("%d aborted: %v; producers %+v", res.AbortedClients, res.Errors, res.Producers)
				}
				if a := res.Audit; a == nil || !a.OK || a.Enqueued != 900 || a.Processed != res.Acknowledged {
					t.Errorf("audit: %+v", a)
				}
				if res.Steady == nil || res.Orders == 0 {
					t.Fatalf("%d orders done, steady %+v", res.Orders, res.Steady)
				}
				if d := res.Depth; d.Start != 0 || d.End != res.Audit.Remaining || d.Max < d.End {
					t.Errorf("depth %+v, %d remain", d, res.Audit.Remaining)
				}
				if s.Workload == "jobs" {
					return // its statistics know whole seconds only
				}
				if res.TimedOrders != 900 || res.TimedUnfinished != 900-res.Orders || res.TimedWaiting > res.TimedUnfinished {
					t.Errorf("%d orders done, timed %d, %d waiting, %d unfinished", res.Orders, res.TimedOrders, res.TimedWaiting, res.TimedUnfinished)
				}
				if q, e := res.QueueTime, res.EndToEnd; q == nil || e == nil || q.Min < 0 || q.P50 > q.P99 || q.P99 > q.Max || e.Mean < q.Mean {
					t.Errorf("queue time %+v, end to end %+v", q, e)
				}
				if most := res.QueueTimeAtMost; (most != nil) != (res.TimedWaiting > 0) || most != nil && most.P50 < res.QueueTime.P50 {
					t.Errorf("queue time %+v, at most %+v, %d waiting", res.QueueTime, most, res.TimedWaiting)
				}
			})
		}
	}
}

// TestFedAgain: a further run on the same queue knows the producers' orders of
// the first, and counts only its own.
func TestFedAgain(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, "skip-locked"))
	spec.Clients, spec.Queue.Orders, spec.Load.Transactions = 2, 50, 40
	spec.Feed = &Feed{Clients: 3, Batch: 2, Poll: time.Millisecond}
	first := execute(t, tg, spec, Hooks{})
	spec.KeepData = true
	second := execute(t, tg, spec, Hooks{})
	for _, res := range []*result.Run{first, second} {
		if a := res.Audit; a == nil || !a.OK || a.Enqueued != 240 {
			t.Errorf("audit: %+v", a)
		}
	}
	if a := second.Audit; a.Processed+a.Remaining != 50+2*240 {
		t.Errorf("audit of the second run: %+v", a)
	}
}

// Far below capacity the queue does not grow; far above it, it does, and the
// slope is what comes in without being taken out.
func TestDepthTellsOverload(t *testing.T) {
	t.Parallel()
	run := func(rate float64, clients int, work string) *result.Run {
		spec := small(mix(t, "skip-locked"))
		spec.Clients, spec.Queue.Orders, spec.Queue.Layout = clients, 0, schema.Unlogged
		spec.Load.Duration = 3 * time.Second
		spec.Load.Variables = map[string]string{"work": work}
		spec.Feed = &Feed{Clients: 2, Batch: 1, Rate: rate, Poll: 5 * time.Millisecond}
		return execute(t, target(t), spec, Hooks{})
	}
	// 8 workers of 1 ms could do thousands.
	calm := run(40, 8, "1000")
	if calm.Depth.Growing || !calm.Audit.OK || calm.Audit.Processed == 0 || calm.QueueTime == nil {
		t.Errorf("at 40 orders/s: %+v, audit %+v", calm.Depth, calm.Audit)
	}
	// One worker of 50 ms can do 20.
	over := run(400, 1, "50000")
	if d := over.Depth; !d.Growing || d.SlopePerS == nil || d.SlopePerS.Value < 100 || !over.Audit.OK || over.Waiting == 0 || over.OldestMS <= 0 {
		t.Errorf("at 400 orders/s: %+v, %d waiting for %v ms", d, over.Waiting, over.OldestMS)
	}
	// Most of the orders that came still wait, so that no percentile has an upper
	// end; from the oldest that wait, each says how long it is at least.
	p50, _ := over.QueueTimeOf(func(l *result.Latency) float64 { return l.P50 })
	p99, ok := over.QueueTimeOf(func(l *result.Latency) float64 { return l.P99 })
	if !ok || !math.IsInf(p50.High, 1) || !math.IsInf(p99.High, 1) || p99.Low < 1.5*p50.Low || over.TimedOrders <= over.Orders {
		t.Errorf("at 400 orders/s: queue time p50 %v, p99 %v of %d orders", p50, p99, over.TimedOrders)
	}
}

func TestFeedRefuses(t *testing.T) {
	t.Parallel()
	plain := mix(t, file(t, "select 1;"))
	for _, tt := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Feed.Clients = 0 }, "use 1 or more of both"},
		{func(s *Spec) { s.Feed.Batch = 0 }, "use 1 or more of both"},
		{func(s *Spec) { s.Mix = plain }, "counts no orders"},
		{func(s *Spec) { s.Load.Transactions = 0 }, "only -T or -t can end the run"},
		{func(s *Spec) { s.Feed.Notify, s.Pool = true, 2 }, "--notify needs a connection that listens"},
		{func(s *Spec) { s.Feed.Notify, s.Load.Connect = true, true }, "--notify needs a connection that stays"},
		{func(s *Spec) { s.Feed, s.Pool, s.Load.Connect = nil, 2, true }, "--pool shares connections"},
	} {
		spec := small(mix(t, "skip-locked"))
		spec.Load.Transactions = 1
		spec.Feed = &Feed{Clients: 1, Batch: 1}
		tt.change(&spec)
		if _, err := spec.Resolve(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func TestConnectionsOfASpec(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "skip-locked"))
	spec.Pool, spec.Load.Threads = 3, 8
	spec.Feed = &Feed{Clients: 5, Batch: 1}
	spec.Load.Transactions = 1
	resolved, err := spec.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if n := resolved.Connections(); n != 8 {
		t.Errorf("%d connections, want 3 pooled and 5 of producers", n)
	}
	if resolved.Threads() > 3 {
		t.Errorf("%d threads for 3 connections", resolved.Threads())
	}
}

func TestDepthOfIntervals(t *testing.T) {
	t.Parallel()
	var ticks []result.Tick
	add := func(depth int64, length float64, warmup bool) {
		ticks = append(ticks, result.Tick{LengthS: length, Depth: depth, Warmup: warmup})
	}
	add(900, 1, true)
	add(100, 1, true)
	for i := range 20 {
		add(int64(110+10*i), 1, false)
	}
	add(5000, 0.2, false) // cut short: no part of the trend, but of the maximum
	d := depthOf(&result.Run{Intervals: ticks}, 7, 290, time.Second)
	if d.Start != 100 || d.End != 290 || d.Max != 5000 || !d.Growing || d.SlopePerS == nil || d.SlopePerS.Value < 9.9 || d.SlopePerS.Value > 10.1 {
		t.Errorf("%+v, slope %+v", d, d.SlopePerS)
	}
	if d := depthOf(&result.Run{Intervals: ticks[:5]}, 7, 120, time.Second); d.Growing || d.SlopePerS != nil || d.Trend != "undecided" {
		t.Errorf("of 3 intervals: %+v", d)
	}
}
