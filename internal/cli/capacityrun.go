package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/capacity"
	"qbench/internal/result"
	"qbench/report"
)

// capacity is the command: read and check everything, then measure.
func (a *app) capacity(c *cli.Context) error {
	v := &values{c: c}
	plan := readCapacityPlan(v)
	out := a.readOutput(v, report.OfCapacity)
	server := readServer(v)
	if err := v.mistake(); err != nil {
		return err
	}
	return a.measure(c.Context, out, func(s *session) error {
		r := &capacityRun{session: s, plan: plan, file: &result.File{Format: result.Format}}
		return r.do(server)
	})
}

// capacityRun is the command under way.
type capacityRun struct {
	*session
	plan   *capacityPlan
	file   *result.File
	found  []*result.Capacity
	status Status
}

// do goes through the strategies and prints what was found.
func (r *capacityRun) do(o serverOptions) error {
	ctx := r.signals.stop
	largest := slices.Clone(r.plan.specs)
	for i := range largest {
		largest[i].Clients = max(1, r.plan.Wanted())
	}
	srv, err := r.open(o, largest...)
	if err != nil {
		return r.ended(err)
	}
	if r.file.Environment, err = r.environment(srv); err != nil {
		return r.ended(err)
	}

	var failure error
	for i := range r.plan.specs {
		var s *result.Capacity
		if s, failure = r.strategy(ctx, srv, i); s != nil {
			r.found = append(r.found, s)
			r.status = worse(r.status, strategyStatus(s))
		}
		if failure != nil {
			break
		}
	}
	if len(r.found) == 0 {
		return r.ended(failure)
	}
	if failure != nil {
		r.status = worse(r.status, worse(StatusIncomplete, statusOf(r.ended(failure))))
	}
	var ranking *result.CapacityRanking
	if len(r.found) > 1 {
		ranking = capacity.Rank(r.found, r.plan.Precision)
	}
	r.file.SetCapacities(r.found, ranking)
	lost := r.write(r.file)
	if ctx.Err() != nil {
		failure = nil // the report says what was not finished
	}
	return withStatus(orLost(r.status, lost), errors.Join(failure, lost))
}

// strategy answers what was asked about one strategy. With an error it returns
// what was found until then, and nil where that is nothing.
func (r *capacityRun) strategy(ctx context.Context, srv *server, i int) (*result.Capacity, error) {
	spec := r.plan.specs[i]
	if err := srv.Check(ctx, r.plan.specs[i:i+1]); err != nil {
		return nil, err
	}
	room, err := srv.Room(ctx, spec)
	if err != nil {
		return nil, err
	}
	confirm := r.plan.confirm
	if r.plan.SLO != nil && confirm < 0 {
		if confirm, err = vacuumConfirmation(ctx, srv.Target); err == nil {
			err = r.plan.refuseSLO(confirm)
		}
		if err != nil {
			return nil, err
		}
	}
	s := &result.Capacity{Name: spec.Mix.Name, Layout: spec.Queue.Layout, Unlogged: spec.Queue.Unlogged}
	m := r.newPoints(srv, spec, room, func(res *result.Run) { r.keep(s, res) })

	return s, r.plan.Run(ctx, s, capacity.Means{
		Room: room, Confirm: confirm, Seed: spec.Load.Seed, Measure: m.Measure, Soak: m.soak, Now: time.Now,
		Observe: func(x result.Measurement) { r.con.note("%s: %s", s.Name, measurementLine(x)) },
	})
}

// vacuumConfirmation is how long the long measurements of a search are unless the
// user says so. Two vacuum cycles always have the whole time between two VACUUMs
// in them; one may have a VACUUM in the middle, and show a rate that does not
// last.
func vacuumConfirmation(ctx context.Context, t *bench.Target) (time.Duration, error) {
	cycle, err := t.VacuumCycle(ctx)
	return max(time.Minute, 2*cycle), err
}

// refuseSLO is an error where all measurements of a search would say the same of
// a condition; a negative confirm is not known yet.
func (p *capacityPlan) refuseSLO(confirm time.Duration) error {
	for _, s := range p.specs {
		asked := &result.Asked{CountsOrders: true, Producers: true, Queue: true}
		if confirm >= 0 {
			longest := max(p.ProbeDuration(), confirm)
			asked.Longest = max(s.Load.Warmup, longest/10) + longest + s.Load.Grace
		}
		if err := p.SLO.Decides(asked); err != nil {
			return fmt.Errorf("--slo: %w", err)
		}
	}
	return nil
}

// keep records a run: in the file without what only a single run's report
// draws, and in the strategy where it failed its audit.
func (r *capacityRun) keep(s *result.Capacity, res *result.Run) {
	if report.AuditOf(res) == report.AuditFailed && s.Invalid == "" {
		s.Invalid = fmt.Sprintf("the audit failed with %s: %s", amount.Count(res.Clients, "client"), strings.Join(res.Audit.Problems, "; "))
	}
	for i := range res.Intervals {
		res.Intervals[i].Hist = nil
	}
	r.file.Runs = append(r.file.Runs, res)
}

// measurementLine is a measurement as the progress shows it.
func measurementLine(x result.Measurement) string {
	line := fmt.Sprintf("%s, %s orders/s", amount.Count(x.Clients, "client"), amount.Number(x.OrdersPerS))
	if x.Rate > 0 {
		line += fmt.Sprintf(" of %s offered", amount.Number(x.OfferedPerS))
	}
	line += fmt.Sprintf(", p99 %s ms", amount.Number(x.Latency.P99))
	if q, ok := x.Run.QueueTimeOf(func(l *result.Latency) float64 { return l.P99 }); ok {
		line += fmt.Sprintf(", queue p99 %s ms", q.Text(amount.Number))
	}
	return line + fmt.Sprintf(" (repeat %d)", x.Repeat)
}

// strategyStatus is the exit status that an answer calls for.
func strategyStatus(s *result.Capacity) Status {
	status := StatusOK
	if s.Sweep != nil && s.Sweep.Best == 0 {
		status = StatusIncomplete
	}
	see := func(o result.CapacityOutcome) {
		switch o {
		case result.CapacityFound, result.CapacityAtLeast:
		case result.CapacityNever, result.CapacityImpossible:
			status = worse(status, StatusFailed)
		default:
			status = worse(status, StatusIncomplete)
		}
	}
	if s.Search != nil {
		see(s.Search.Outcome)
	}
	if s.Target != nil {
		see(s.Target.Outcome)
	}
	if s.Invalid != "" {
		status = worse(status, StatusAudit)
	}
	return status
}
