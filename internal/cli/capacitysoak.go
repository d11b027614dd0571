package cli

import (
	"context"
	"errors"
	"sync"

	"qbench/internal/bench"
	"qbench/internal/capacity"
	"qbench/internal/result"
)

// soak runs for long at the rate to plan with, and looks for drift.
func (r *capacityRun) soak(ctx context.Context, m *points, s *result.Capacity, workers int, rate float64) error {
	rate *= 1 - r.plan.headroom
	switch {
	case s.Target != nil && s.Target.Outcome != result.CapacityFound, s.Search != nil && s.Search.PlanRate == 0:
		return nil // the search's answer says why there is nothing to soak
	case s.Target != nil:
		workers, rate = s.Target.Workers, s.Target.Rate
	case s.Search != nil:
		workers, rate = s.Search.Workers, s.Search.PlanRate
	}
	if rate == 0 {
		return capacity.ErrConnections // the workers could not be connected
	}
	r.con.note("%s: soaking for %s with %d clients at %.1f orders/s", s.Name, r.plan.soak, workers, rate)
	w := &soakWatch{target: m.target, workload: m.spec.Mix.Workload(), look: make(chan struct{}, 1)}
	watching, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- w.follow(watching) }()
	m.tick = w.tick
	sample, err := m.measure(ctx, result.Point{Clients: workers, Rate: rate, Duration: r.plan.soak, Repeat: 1})
	m.tick = nil
	end()
	if err = errors.Join(err, <-done); err != nil {
		return err
	}
	s.Soak = capacity.SoakDrift(sample.IntervalS, w.series(r.plan.level, rate))
	return nil
}

// soakWatch collects the series of a soak, a value each per interval.
type soakWatch struct {
	target   *bench.Target
	workload string
	look     chan struct{} // to the server, at an interval's end

	mu                                        sync.Mutex
	last                                      bench.Footprint
	seen                                      bool // there is a last
	rates, p99, depths, tables, indexes, dead []float64
}

// tick takes an interval. It asks the server for nothing itself, because what
// waits here delays the next interval.
func (w *soakWatch) tick(t result.Tick, moved *movedLatencies) {
	latency := moved.cut()
	select {
	case w.look <- struct{}{}:
	default: // still looking
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.Warmup || !w.seen {
		return
	}
	const mb = 1 << 20
	w.rates, w.p99, w.depths = append(w.rates, t.OrdersPerS), append(w.p99, latency.P99), append(w.depths, float64(t.Depth))
	w.tables, w.indexes = append(w.tables, float64(w.last.TableBytes)/mb), append(w.indexes, float64(w.last.IndexBytes)/mb)
	w.dead = append(w.dead, float64(w.last.DeadTuples))
}

// follow looks at the tables when an interval has ended, until ctx ends.
func (w *soakWatch) follow(ctx context.Context) error {
	conn, err := w.target.Connect(ctx)
	if err != nil {
		return w.unless(ctx, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.look:
		}
		f, err := w.target.Footprint(ctx, conn, w.workload)
		if err != nil {
			return w.unless(ctx, err)
		}
		w.mu.Lock()
		w.last, w.seen = f, true
		w.mu.Unlock()
	}
}

// unless drops the error of a question that the end has cut off.
func (*soakWatch) unless(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// series are what was watched, with the limits that follow from the level.
func (w *soakWatch) series(level capacity.Level, rate float64) []capacity.Series {
	var p99, depth *float64
	for _, t := range level {
		limit := t.LimitMS
		if t.Latency == capacity.Transaction {
			if t.Stat == "p99" {
				p99 = &limit
			}
			continue
		}
		// Little's law: what comes to a queue of this depth waits for the limit.
		orders := rate * limit / 1000
		if depth == nil || orders < *depth {
			depth = &orders
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return []capacity.Series{
		{Name: "orders/s", Unit: "orders/s", Values: w.rates},
		{Name: "p99", Unit: "ms", Values: w.p99, Limit: p99},
		{Name: "depth", Unit: "orders", Values: w.depths, Limit: depth},
		{Name: "queue table", Unit: "MB", Values: w.tables},
		{Name: "queue indexes", Unit: "MB", Values: w.indexes},
		{Name: "dead tuples", Unit: "tuples", Values: w.dead},
	}
}
