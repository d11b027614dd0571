package cli

import (
	"context"
	"errors"

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
		return result.ErrConnections // the workers could not be connected
	}
	r.con.note("%s: soaking for %s with %d clients at %.1f orders/s", s.Name, r.plan.soak, workers, rate)
	w := bench.NewWatch(m.server.Target, m.Spec.Mix.Workload())
	watching, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- w.Follow(watching) }()
	m.tick = w.Tick
	sample, err := m.Measure(ctx, result.Point{Clients: workers, Rate: rate, Duration: r.plan.soak, Repeat: 1})
	m.tick = nil
	end()
	if err = errors.Join(err, <-done); err != nil {
		return err
	}
	s.Soak = capacity.SoakDrift(sample.IntervalS, soakSeries(w.Watched(), r.plan.slo, rate))
	return nil
}

// soakSeries are what was watched, with the limits that follow from the
// objective.
func soakSeries(w bench.Watched, slo result.SLO, rate float64) []capacity.Series {
	p99, depth := capacity.SoakLimits(slo, rate)
	return []capacity.Series{
		{Name: "orders/s", Unit: "orders/s", Values: w.OrdersPerS},
		{Name: "p99", Unit: "ms", Values: w.P99MS, Limit: p99},
		{Name: "depth", Unit: "orders", Values: w.Depths, Limit: depth},
		{Name: "queue table", Unit: "MB", Values: w.TableMB},
		{Name: "queue indexes", Unit: "MB", Values: w.IndexMB},
		{Name: "dead rows", Unit: "rows", Values: w.DeadRows},
	}
}
