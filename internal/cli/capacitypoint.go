package cli

import (
	"context"
	"errors"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/capacity"
	"qbench/internal/result"
)

// points shows and keeps the runs of one strategy's points.
type points struct {
	bench.Points
	*session
	server *server
	env    *result.Environment
	// keep is given each run; tick, which may be nil, each interval.
	keep func(*result.Run)
	tick func(result.Tick)
	slo  result.SLO
}

// newPoints measures the points of a strategy, with room for so many clients.
func (r *capacityRun) newPoints(srv *server, spec bench.Spec, room int, keep func(*result.Run)) *points {
	m := &points{session: r.session, server: srv, env: &r.file.Environment, keep: keep, slo: r.plan.SLO}
	m.Points = bench.Points{Spec: spec, Feed: r.plan.feed, Most: r.plan.MaxOrders, Room: room, FixedPartitions: r.plan.partitions, Run: m.run}
	return m
}

func (m *points) run(_ context.Context, spec bench.Spec) (*result.Run, error) {
	title, failed := spec.String(), int64(0)
	res, err := m.session.run(m.server, spec, m.env, func(msgs *messages) bench.Hooks {
		return bench.Hooks{
			Seeding: m.con.seeding,
			Running: func(bench.Spec) { m.con.show("%s", title) },
			Tick: func(t result.Tick) {
				failed += t.Failed
				m.con.show("%s: %s", title, progressOf(spec).Status(t, failed, m.con.columns()-len(title)-2))
				if m.tick != nil {
					m.tick(t)
				}
			},
			Waiting: func(what string) { m.con.note("%s", what) },
			Message: msgs.message,
		}
	})
	if res != nil {
		m.keep(res)
	}
	return res, err
}

// soak measures a point for long, and watches the tables meanwhile.
func (m *points) soak(ctx context.Context, p result.Point) (stepS float64, watched []capacity.Series, err error) {
	m.con.note("%s: soaking for %s with %s at %s orders/s", m.Spec.Mix.Name, p.Duration, amount.Count(p.Clients, "client"), amount.Number(p.Rate))
	w := bench.NewWatch(m.server.Target, m.Spec.Mix.Workload())
	watching, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- w.Follow(watching) }()
	m.tick = w.Tick
	sample, err := m.Measure(ctx, p)
	m.tick = nil
	end()
	return sample.IntervalS, soakSeries(w.Watched(), m.slo, p.Rate), errors.Join(err, <-done)
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
