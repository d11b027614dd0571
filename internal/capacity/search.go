package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// SearchConfig says which rate to search.
type SearchConfig struct {
	SLO     result.SLO
	Workers int // to search with
	// Auto then looks for the fewest workers, not more than Workers, that hold
	// the rate found within Tolerance.
	Auto bool
	// Capacity is what the workers do without producers, in orders/s, from a
	// sweep; it is where the search begins. 0: unknown.
	Capacity   float64
	MinRate    float64 // 0: the lowest that has 200 orders in a measurement
	MaxRate    float64 // the highest that can be offered; 0: until the producers give up
	Duration   time.Duration
	Confirm    time.Duration // of each long measurement at the rate found, and at lower ones if it breaks; 0: none
	Backlog    time.Duration // orders that wait when a long measurement begins: as many as come in this time
	Tolerance  float64       // width of the answer, relative; 0 is 0.03
	MaxRepeats int           // of one doubtful point; 0 is 3
	MaxPoints  int           // measurements, after which a boundary within the noise is not measured further; 0 is 24
	Headroom   float64       // 0.3 plans with 70% of the rate
	Now        Clock
	Observe    func(result.Measurement) // after each measurement; may be nil
}

const (
	defaultTolerance     = 0.03
	defaultProbeRepeats  = 3
	defaultPoints        = 24
	ordersPerMeasurement = 200 // of which two lie beyond the 99th percentile
	highestRate          = 1e9
)

func (c *SearchConfig) defaults() {
	if c.Tolerance == 0 {
		c.Tolerance = defaultTolerance
	}
	if c.MaxRepeats == 0 {
		c.MaxRepeats = defaultProbeRepeats
	}
	if c.MaxPoints == 0 {
		c.MaxPoints = defaultPoints
	}
	if c.MinRate == 0 {
		c.MinRate = math.Max(1, ordersPerMeasurement/c.Duration.Seconds())
	}
	if c.MaxRate == 0 {
		c.MaxRate = highestRate
	}
	c.MinRate = math.Min(c.MinRate, c.MaxRate)
}

func newProber(c *SearchConfig, measure Measure) *prober {
	return &prober{slo: c.SLO, duration: c.Duration, confirmed: c.Confirm > 0, maxRepeats: c.MaxRepeats, measure: measure, observe: c.Observe, now: c.Now, start: c.Now()}
}

type searcher struct {
	SearchConfig
	*prober
	result   *result.Search
	probes   []*probed        // those of the result
	low, top *probed          // the highest that holds, the lowest that is broken
	line     *result.Estimate // the boundary by regression, where the bracket is within the noise
}

// RunSearch searches on a logarithmic scale. It brackets the rate first, then
// halves the bracket, or goes straight to where the reciprocal of the latency
// meets its limit: in an M/M/1 queue that reciprocal falls linearly with the
// rate, to 0 at the capacity, and near their capacity all queues behave so
// (Kingman 1961). Where that does not halve the bracket twice, the next step
// is a bisection; so it is never much slower than bisection alone.
//
// The search is returned with what was measured even where there is an error.
func RunSearch(ctx context.Context, cfg SearchConfig, measure Measure) (*result.Search, error) {
	cfg.defaults()
	s := &searcher{SearchConfig: cfg, prober: newProber(&cfg, measure)}
	s.result = &result.Search{SLO: cfg.SLO.String(), Workers: cfg.Workers, Headroom: cfg.Headroom, Rate: stats.Unbounded(0)}
	err := s.search(ctx)
	s.result.Points = s.points
	if errors.Is(err, result.ErrConnections) {
		s.result.Outcome = result.CapacityNoConnections
		s.result.Answer = fmt.Sprintf("not searched: %v; raise max_connections, end other sessions or use fewer workers or producers", err)
		return s.result, nil
	}
	if err != nil {
		s.result.Outcome = result.CapacityUnfinished
		s.result.Answer = unfinished("search", err)
	}
	return s.result, err
}

func (s *searcher) search(ctx context.Context) error {
	if err := s.bracket(ctx); err != nil || s.result.Outcome != "" {
		return err
	}
	if err := s.narrow(ctx); err != nil || s.result.Outcome != "" {
		return err
	}
	if err := s.sharpen(ctx); err != nil {
		return err
	}
	if err := s.confirm(ctx); err != nil || s.result.Outcome != "" {
		return err
	}
	s.result.Outcome = result.CapacityFound
	return s.finish(ctx)
}

// record adds a probe to the result.
func (s *searcher) record(b *probed) {
	s.probes = append(s.probes, b)
	s.result.Probes = append(s.result.Probes, &b.Probe)
}

// at probes a rate and keeps what it says. A rate that the producers could not
// offer counts as the one that they did.
func (s *searcher) at(ctx context.Context, rate float64) (*probed, error) {
	b, err := s.probe(ctx, rate, s.Workers)
	if err != nil {
		return nil, err
	}
	s.keep(b, rate)
	return b, nil
}

func (s *searcher) keep(b *probed, asked float64) {
	s.record(b)
	switch {
	case b.Holds:
		if s.low == nil || b.Rate > s.low.Rate {
			s.low = b
		}
	default:
		if s.low != nil && b.Rate <= s.low.Rate {
			b.Rate = asked // the producers were held up by the same thing that broke the objective
		}
		if s.top == nil || b.Rate < s.top.Rate {
			s.top = b
		}
	}
}

// bracket looks for one rate that holds and one that is broken. It goes in
// growing strides, because an objective that can never hold, and one that always
// does, should be found out soon.
func (s *searcher) bracket(ctx context.Context) error {
	const below = 0.8 // of the capacity: a latency breaks before the workers are saturated
	rate := s.MaxRate
	switch {
	case s.Capacity > 0:
		rate = below * s.Capacity
	case s.MaxRate == highestRate:
		rate = 1000
	}
	for stride := 1.25; ; stride *= stride {
		rate = math.Min(math.Max(rate, s.MinRate), s.MaxRate)
		b, err := s.at(ctx, rate)
		if err != nil {
			return err
		}
		switch {
		case b.Holds && b.Short, b.Holds && rate >= s.MaxRate:
			return s.atLeast(ctx, b)
		case s.low != nil && s.top != nil:
			return nil
		case b.Holds:
			rate *= stride
		case rate <= s.MinRate:
			s.never(b)
			return nil
		case b.capacity > 0 && below*b.capacity < rate/stride:
			rate = below * b.capacity
		default:
			rate /= stride * stride
		}
	}
}

// narrow shrinks the bracket to the tolerance.
func (s *searcher) narrow(ctx context.Context) error {
	width := func() float64 { return math.Log(s.top.Rate / s.low.Rate) }
	goal := math.Log1p(s.Tolerance)
	slow, before := 0, width()
	for width() > goal {
		rate := math.Sqrt(s.low.Rate * s.top.Rate)
		if slow < 2 {
			rate = s.interpolate()
		} else {
			slow = 0
		}
		b, err := s.at(ctx, rate)
		if err != nil {
			return err
		}
		if b.Holds && b.Short {
			return s.atLeast(ctx, b)
		}
		if width() > before/2 {
			slow++
		}
		before = width()
	}
	return nil
}

// interpolate is where the line through the ends' room crosses 0, moved
// towards the middle by nearly half the tolerance: then two probes, one on
// either side of the boundary, close the bracket.
func (s *searcher) interpolate() float64 {
	low, top := s.low.Rate, s.top.Rate
	at, room := top, math.Max(s.top.room, -1)
	if s.top.capacity > 0 {
		at, room = math.Max(s.top.capacity, low*(1+s.Tolerance/2)), -1
	}
	middle := math.Sqrt(low * top)
	if room >= 0 || !(s.low.room > 0) || math.IsInf(s.low.room, 1) {
		return middle
	}
	root := low + (at-low)*s.low.room/(s.low.room-room)
	const aside = 0.45
	if root < middle {
		root *= 1 + aside*s.Tolerance
	} else {
		root /= 1 + aside*s.Tolerance
	}
	// Not so near an end that nothing could be learned.
	edge := math.Pow(top/low, 0.1)
	return math.Min(math.Max(root, low*edge), top/edge)
}

func (s *searcher) atLeast(ctx context.Context, b *probed) error {
	s.low, s.top = b, nil
	if err := s.confirm(ctx); err != nil || s.result.Outcome != "" {
		return err
	}
	s.result.Outcome = result.CapacityAtLeast
	if s.top != nil {
		s.result.Outcome = result.CapacityFound
	}
	return s.finish(ctx)
}

func (s *searcher) never(b *probed) {
	r := s.result
	r.Outcome, r.BreaksAt, r.Breaks = result.CapacityNever, b.Rate, b.Breaks
	r.Rate = result.Estimate{High: b.Rate}
	r.Answer = fmt.Sprintf("the SLO %s never holds: even at %s orders/s, the lowest rate tried, %s", s.SLO, amount.Number(b.Rate), strings.Join(b.Breaks, "; "))
}

// finish writes the answer down, after the fewest workers were found if they
// were asked for.
func (s *searcher) finish(ctx context.Context) error {
	r := s.result
	r.Rate = result.Estimate{Value: s.low.Rate, High: math.Inf(1)}
	for _, b := range r.Probes {
		switch {
		case b.Holds && !b.Doubtful && b.Rate <= r.Rate.Value:
			r.Rate.Low = math.Max(r.Rate.Low, b.Rate)
		case !b.Holds && !b.Doubtful && b.Rate > r.Rate.Value:
			r.Rate.High = math.Min(r.Rate.High, b.Rate)
		}
	}
	if s.line != nil {
		r.Rate.Low, r.Rate.High = s.line.Low, s.line.High
	}
	r.PlanRate = r.Rate.Value * (1 - s.Headroom)
	if s.top != nil {
		r.BreaksAt, r.Breaks = s.top.Rate, s.top.Breaks
	}
	if s.Auto {
		// At the rate itself the verdict on any number is a toss of a coin.
		rate := r.Rate.Value / (1 + s.Tolerance)
		least, _, err := s.leastWorkers(ctx, rate, s.Workers, 0)
		if err != nil {
			return err
		}
		if r.Workers, err = s.lastingWorkers(ctx, rate, least.Workers); err != nil {
			return err
		}
	}
	r.Answer = s.answer()
	return nil
}

func (s *searcher) answer() string {
	r := s.result
	var text string
	if r.Outcome == result.CapacityAtLeast {
		why := "the highest rate that was to be offered"
		if s.low.Short {
			why = "all that the producers could offer"
		}
		text = fmt.Sprintf("the SLO %s holds up to at least %s orders/s with %s, %s", s.SLO, amount.Number(r.Rate.Value), amount.Count(r.Workers, "worker"), why)
	} else {
		text = fmt.Sprintf("the SLO %s holds up to %s orders/s with %s; at %s orders/s %s", s.SLO, amount.Number(r.Rate.Value), amount.Count(r.Workers, "worker"), amount.Number(r.BreaksAt), strings.Join(r.Breaks, "; "))
	}
	if r.Headroom > 0 {
		text += fmt.Sprintf("; with %.3g%% headroom plan with %s orders/s", 100*r.Headroom, amount.Number(r.PlanRate))
	}
	return text
}
