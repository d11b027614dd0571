package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// SweepConfig says what to sweep.
type SweepConfig struct {
	Clients    []int         // nil: 1, 2, 4, … MaxClients, then finer around the best
	MaxClients int           // what the server's connection limit leaves
	Duration   time.Duration // of one measurement
	Precision  float64       // half width of the intervals, relative; 0 is 0.03
	MaxRepeats int           // of one count, whatever the precision; 0 is 10
	MaxOrders  int64         // the most that can be seeded; 0: no limit is known
	Seed       uint64        // of the order
	Now        Clock
	Observe    func(result.Measurement) // after each measurement; may be nil
}

const (
	defaultPrecision  = 0.03
	defaultMaxRepeats = 10
	// refinements halves the (logarithmic) distance to the best's neighbours
	// that often: after twice, counts are 19% apart, and the top of a
	// throughput curve is flatter than that.
	refinements = 2
)

type sweeper struct {
	SweepConfig
	measure Measure
	rng     *rand.Rand
	start   time.Time
	done    []result.Measurement
	repeats map[int]int
	orders  map[int]int64 // to seed, where the first attempt was too few
	dropped map[int]string
	limit   int // counts from here on get no connections; 0: none known
	tooFast bool
}

// RunSweep measures throughput by client count.
//
// The counts of a round are measured in random order and then in the reverse
// of it, so that a drift of the server over the sweep favours no count; rounds
// go on with those counts whose interval is still wider than the precision.
// Repeats, and not longer runs, because what differs between runs (a
// checkpoint, a plan, the tables' state) does not average out within one.
//
// The sweep is returned with what was measured even where there is an error.
func RunSweep(ctx context.Context, cfg SweepConfig, measure Measure) (*result.Sweep, error) {
	if cfg.Precision == 0 {
		cfg.Precision = defaultPrecision
	}
	if cfg.MaxRepeats == 0 {
		cfg.MaxRepeats = defaultMaxRepeats
	}
	counts := slices.Clone(cfg.Clients)
	refine := 0
	if counts == nil {
		counts = doublings(cfg.MaxClients)
		refine = refinements
	}
	s := &sweeper{
		SweepConfig: cfg, measure: measure, rng: rand.New(rand.NewPCG(cfg.Seed, 0)), start: cfg.Now(),
		repeats: map[int]int{}, orders: map[int]int64{}, dropped: map[int]string{},
	}
	if cfg.MaxClients > 0 {
		over := slices.DeleteFunc(slices.Clone(counts), func(c int) bool { return c <= cfg.MaxClients })
		for _, c := range over {
			s.dropped[c] = fmt.Sprintf("%s were left out: the server leaves %d connections", amount.Count(c, "client"), cfg.MaxClients)
		}
		counts = slices.DeleteFunc(counts, func(c int) bool { return c > cfg.MaxClients })
	}
	if len(counts) == 0 && len(s.dropped) == 0 {
		return &result.Sweep{Outcome: result.CapacityNoConnections, Answer: "no count could be measured: the server leaves no connection; raise max_connections or end other sessions"}, nil
	}
	err := s.untilPrecise(ctx, counts, counts)
	for range refine {
		if err != nil {
			break
		}
		finer := s.around(counts)
		if len(finer) == 0 {
			break
		}
		counts = append(counts, finer...)
		err = s.untilPrecise(ctx, finer, counts)
	}
	return s.result(counts, err), err
}

// doublings are 1, 2, 4, … and the limit itself.
func doublings(limit int) []int {
	var counts []int
	for n := 1; n < limit; n *= 2 {
		counts = append(counts, n)
	}
	if limit > 0 {
		counts = append(counts, limit)
	}
	return counts
}

// untilPrecise measures what is new, each an even number of times, and goes on
// with any of the counts that is not precise. Counts that join later are
// measured beside the best one, so that a drift that is not a straight line
// cannot make a difference between them.
func (s *sweeper) untilPrecise(ctx context.Context, fresh, counts []int) error {
	pending := slices.Clone(fresh)
	if len(s.done) > 0 {
		pending = append(pending, s.analyse().best())
	}
	for len(pending) > 0 {
		s.rng.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
		back := slices.Clone(pending)
		slices.Reverse(back)
		for _, c := range slices.Concat(pending, back) {
			if err := s.one(ctx, c); err != nil {
				return err
			}
		}
		a := s.analyse()
		pending = slices.DeleteFunc(slices.Clone(counts), func(c int) bool {
			return s.out(c) || s.repeats[c]+2 > s.MaxRepeats || a.estimate(c).Relative() <= s.Precision
		})
	}
	return nil
}

// out reports whether a count cannot be measured.
func (s *sweeper) out(clients int) bool {
	return s.dropped[clients] != "" || s.limit > 0 && clients >= s.limit
}

// minDrained is the part of the wanted duration that a drain must last to be
// a measurement.
const minDrained = 0.5

// one measures a count once, with more orders where they ran out early.
func (s *sweeper) one(ctx context.Context, clients int) error {
	for !s.out(clients) {
		p := result.Point{Clients: clients, Duration: s.Duration, Orders: s.orders[clients], Repeat: s.repeats[clients] + 1}
		at := s.Now().Sub(s.start).Seconds()
		sample, err := s.measure(ctx, p)
		if errors.Is(err, result.ErrConnections) {
			s.limit = clients
			s.dropped[clients] = fmt.Sprintf("%s could not be measured: %v", amount.Count(clients, "client"), err)
			return nil
		}
		if err != nil {
			return fmt.Errorf("%d clients, repeat %d: %w", clients, p.Repeat, err)
		}
		if !(sample.OrdersPerS > 0) {
			s.dropped[clients] = fmt.Sprintf("%s moved no order (%d errors)", amount.Count(clients, "client"), sample.Errors)
			return nil
		}
		if sample.Drained && sample.DurationS < minDrained*s.Duration.Seconds() {
			if s.seedMore(clients, sample) {
				continue
			}
			s.tooFast = true
			s.dropped[clients] = fmt.Sprintf("%s drained the whole queue in %.3g s, of %.3g s wanted: too short to measure; seed more orders or take shorter measurements", amount.Count(clients, "client"), sample.DurationS, s.Duration.Seconds())
			return nil
		}
		m := result.Measurement{Point: p, Sample: sample, AtS: at}
		s.done = append(s.done, m)
		s.repeats[clients]++
		if s.Observe != nil {
			s.Observe(m)
		}
		return nil
	}
	return nil
}

// seedMore asks for enough orders for the whole duration; false where no more
// can be had.
func (s *sweeper) seedMore(clients int, sample result.Sample) bool {
	const margin = 1.5 // clients that have more to do may also do more per second
	want := int64(math.Ceil(sample.OrdersPerS * s.Duration.Seconds() * margin))
	if s.MaxOrders > 0 {
		want = min(want, s.MaxOrders)
	}
	if want <= s.orders[clients] {
		return false
	}
	s.orders[clients] = want
	return true
}

// around are the counts half-way, by ratio, between the best and its
// neighbours.
func (s *sweeper) around(counts []int) []int {
	a := s.analyse()
	sorted := slices.DeleteFunc(slices.Clone(counts), func(c int) bool { return a.groups[c] == nil })
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return nil
	}
	best := a.best()
	at := slices.Index(sorted, best)
	var finer []int
	for _, neighbour := range []int{at - 1, at + 1} {
		if neighbour < 0 || neighbour >= len(sorted) {
			continue
		}
		c := int(math.Round(math.Sqrt(float64(best) * float64(sorted[neighbour]))))
		if !slices.Contains(counts, c) && !s.out(c) {
			finer = append(finer, c)
		}
	}
	return finer
}
