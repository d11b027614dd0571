package capacity

import (
	"context"
	"errors"
	"time"

	"qbench/internal/result"
)

// Plan is what is asked about each strategy.
type Plan struct {
	// Counts are the numbers of clients to sweep; nil is the doubling series up to
	// MaxSweep.
	Counts []int
	// MaxSweep and MaxClients bound the clients of the sweep and of everything; 0 is
	// the server's limit.
	MaxSweep, MaxClients int
	Workers              int // that take orders, instead of a sweep; 0 sweeps
	Duration             time.Duration
	Precision            float64 // half the width of an interval, as a share
	MaxRepeats           int
	MaxOrders            int64      // that a queue is seeded with
	SLO                  result.SLO // nil where no objective is given
	Headroom             float64
	MaxRate              float64 // orders/s; 0 is all that the producers can
	TargetRate           float64 // asks for the workers that it needs; 0 asks for the rate
	Backlog              time.Duration
	Soak                 time.Duration // 0 is none
}

// Means is what a plan is carried out with.
type Means struct {
	Room    int           // clients that the server has connections for
	Confirm time.Duration // of the long measurements of a search; 0 is none
	Seed    uint64        // of the order of the measurements
	Measure Measure
	// Soak measures a point for long, and returns its intervals' length in seconds
	// and what was watched.
	Soak    func(ctx context.Context, p result.Point) (stepS float64, watched []Series, err error)
	Now     Clock
	Observe func(result.Measurement)
}

// Run answers what is asked about a strategy. With an error s has what was found
// until then.
func (p *Plan) Run(ctx context.Context, s *result.Capacity, m Means) (err error) {
	workers, rate := p.Workers, 0.0
	if workers > 0 {
		rate, err = p.alone(ctx, m.Measure)
	} else {
		s.Sweep, err = RunSweep(ctx, SweepConfig{
			Clients: p.Counts, MaxClients: p.sweepLimit(m.Room), Duration: p.Duration, Precision: p.Precision,
			MaxRepeats: p.MaxRepeats, MaxOrders: p.MaxOrders, Seed: m.Seed, Now: m.Now, Observe: m.Observe,
		}, m.Measure)
		if err == nil && s.Sweep.Best == 0 {
			return nil // the sweep's answer says why
		}
	}
	if err != nil {
		return err
	}
	if s.Sweep != nil {
		workers = s.Sweep.Recommended
		for _, row := range s.Sweep.Rows {
			if row.Clients == workers {
				rate = row.OrdersPerS.Value
			}
		}
	}
	if p.SLO != nil {
		if err := p.search(ctx, s, m, workers, rate); err != nil {
			return err
		}
	}
	if p.Soak == 0 {
		return nil
	}
	if s.Target == nil && s.Search == nil {
		rate *= 1 - p.Headroom
	}
	return p.soak(ctx, s, m, workers, rate)
}

// limit is the most clients that may be tried where the server has room for so
// many.
func (p *Plan) limit(room int) int {
	if p.MaxClients > 0 {
		return min(room, p.MaxClients)
	}
	return room
}

func (p *Plan) sweepLimit(room int) int {
	if p.MaxSweep > 0 {
		return min(p.limit(room), p.MaxSweep)
	}
	return p.limit(room)
}

// Wanted is the most clients that are asked for; 0 is as many as there can be.
func (p *Plan) Wanted() int {
	most := max(p.Workers, p.MaxSweep)
	for _, n := range p.Counts {
		most = max(most, n)
	}
	if p.TargetRate > 0 {
		most = 0 // it may take more than the sweep tries
	}
	if p.MaxClients > 0 && (most == 0 || p.MaxClients < most) {
		most = p.MaxClients
	}
	return most
}

// alone measures what the workers do without producers, in orders/s: where the
// search for a rate begins. It is 0 where the server has no connections for
// them, which the search then says.
func (p *Plan) alone(ctx context.Context, measure Measure) (float64, error) {
	sample, err := measure(ctx, result.Point{Clients: p.Workers, Duration: p.Duration, Repeat: 1})
	if errors.Is(err, result.ErrConnections) {
		return 0, nil
	}
	return sample.OrdersPerS, err
}

// search looks for the rate under the objective, or for the workers of a rate.
func (p *Plan) search(ctx context.Context, s *result.Capacity, m Means, workers int, rate float64) (err error) {
	cfg := SearchConfig{
		SLO: p.SLO, Workers: workers, Auto: p.Workers == 0, Capacity: rate, MaxRate: p.MaxRate, Duration: p.ProbeDuration(),
		Confirm: m.Confirm, Backlog: p.Backlog, Tolerance: p.Precision, Headroom: p.Headroom, Now: m.Now, Observe: m.Observe,
	}
	if p.TargetRate > 0 {
		s.Target, err = RunTarget(ctx, cfg, p.TargetRate, p.limit(m.Room), m.Measure)
		return err
	}
	s.Search, err = RunSearch(ctx, cfg, m.Measure)
	return err
}

// probeOrders is what a measurement under an objective needs at least: 2 beyond the
// 99th percentile, and a depth whose trend is more than single orders.
const probeOrders = 200

// ProbeDuration is Duration, or longer where the rate that was asked for is so low
// that too few orders come in that time.
func (p *Plan) ProbeDuration() time.Duration {
	rate := max(p.TargetRate, p.MaxRate)
	if rate == 0 {
		return p.Duration
	}
	return max(p.Duration, time.Duration(probeOrders/rate*float64(time.Second)))
}

// soak runs for long at the rate to plan with, and looks for drift.
func (p *Plan) soak(ctx context.Context, s *result.Capacity, m Means, workers int, rate float64) error {
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
	stepS, watched, err := m.Soak(ctx, result.Point{Clients: workers, Rate: rate, Duration: p.Soak, Repeat: 1})
	if err != nil {
		return err
	}
	s.Soak = SoakDrift(stepS, watched)
	return nil
}
