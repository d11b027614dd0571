package cli

import (
	"context"

	"qbench/internal/bench"
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
}

// newPoints measures the points of a strategy, with room for so many clients.
func (r *capacityRun) newPoints(srv *server, spec bench.Spec, room int, keep func(*result.Run)) *points {
	m := &points{session: r.session, server: srv, env: &r.file.Environment, keep: keep}
	m.Points = bench.Points{Spec: spec, Feed: r.plan.feed, Most: r.plan.most, Room: room, FixedPartitions: r.plan.partitions, Run: m.run}
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
