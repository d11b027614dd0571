package capacity

import (
	"context"
	"fmt"
	"math"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// probed is a probe with what the search reads from it.
type probed struct {
	result.Probe
	// room is limit/value - 1 of the tightest condition: positive where the
	// objective holds. capacity is the rate that the workers keep up with, where
	// the queue grows; 0 elsewhere.
	room, capacity float64
}

// Assumptions about noise before any was seen: one measurement of a
// percentile is off by a tenth, which weighs as much as priorDF repeats.
const (
	priorNoise = 0.10
	priorDF    = 4
	// sure is how many standard errors a mean must be from the limit.
	sure = 2.2
	// reached is the part of a rate that the producers must reach; a Poisson
	// schedule of a thousand starts scatters by three per cent.
	reached = 0.97
)

// prober judges points; what it learns about the noise is used for all later
// ones.
type prober struct {
	slo        result.SLO
	duration   time.Duration
	confirmed  bool // long measurements follow, so that these only steer
	maxRepeats int
	measure    Measure
	observe    func(result.Measurement)
	now        Clock
	start      time.Time

	squares, df float64 // pooled scatter of log(value) between repeats
	points      int
}

// probe measures a rate until its verdict is beyond the noise, or the repeats
// are used up.
func (p *prober) probe(ctx context.Context, rate float64, workers int) (*probed, error) {
	var samples []result.Sample
	for {
		s, err := p.one(ctx, result.Point{Clients: workers, Rate: rate, Duration: p.duration, Repeat: len(samples) + 1})
		if err != nil {
			return nil, err
		}
		samples = append(samples, s)
		b, err := p.judge(rate, workers, samples, p.confirmed)
		if err != nil {
			return nil, err
		}
		if !b.Doubtful || len(samples) >= p.maxRepeats {
			p.learn(samples)
			return b, nil
		}
	}
}

func (p *prober) one(ctx context.Context, point result.Point) (result.Sample, error) {
	at := p.now().Sub(p.start).Seconds()
	s, err := p.measure(ctx, point)
	if err != nil {
		return s, fmt.Errorf("%s orders/s with %s: %w", amount.Number(point.Rate), amount.Count(point.Clients, "worker"), err)
	}
	p.points++
	if p.observe != nil {
		p.observe(result.Measurement{Point: point, Sample: s, AtS: at})
	}
	return s, nil
}

// judge compares the repeats of one point with the objective and looks at the
// depth. The verdict is beyond doubt if something is broken beyond doubt, or
// everything holds beyond doubt.
func (p *prober) judge(rate float64, workers int, samples []result.Sample, steers bool) (*probed, error) {
	b := &probed{Probe: result.Probe{Rate: rate, Workers: workers, Repeats: len(samples), Holds: true}, room: math.Inf(1)}
	var moved, offered float64
	for _, s := range samples {
		moved += s.OrdersPerS / float64(len(samples))
		offered += s.OfferedPerS / float64(len(samples))
		b.P99MS += s.Latency.P99 / float64(len(samples))
		b.CPUPerOrder += s.CPUPerOrder / float64(len(samples))
	}
	if offered > 0 && offered < reached*rate {
		b.Short, b.Rate = true, offered
	}
	certain := false // that something is broken
	broken := func(sure bool, format string, args ...any) {
		b.Holds = false
		certain = certain || sure
		b.Breaks = append(b.Breaks, fmt.Sprintf(format, args...))
	}
	if !(moved > 0) {
		b.room = -1
		broken(true, "no order comes through")
	}
	for _, condition := range p.slo {
		if !(moved > 0) {
			break // there is nothing to measure
		}
		v, err := p.check(condition, samples, steers)
		if err != nil {
			return nil, err
		}
		b.Values = append(b.Values, v.value)
		b.room = math.Min(b.room, v.room)
		b.Doubtful = b.Doubtful || v.doubtful
		if !v.holds {
			broken(!v.doubtful, "%s", v.text)
		}
	}
	growth, trend, allowed := p.growth(samples, b.Rate)
	b.Growth = growth
	if trend == stats.Growing || trend == stats.Undecided && growth.Value > allowed {
		// A growing queue comes first: it is why the latencies rise.
		rest := b.Breaks
		b.Breaks = nil
		broken(trend == stats.Growing, "the queue grows by %s orders/s", amount.Number(growth.Value))
		b.Breaks = append(b.Breaks, rest...)
		b.capacity = b.Rate - growth.Value
	}
	b.Doubtful = (b.Doubtful || trend == stats.Undecided) && !certain
	return b, nil
}

// noise is the standard deviation of one log(value): what was pooled so far
// with these repeats and the prior.
func (p *prober) noise(logs []float64) float64 {
	squares, df := p.squares, p.df
	if k := len(logs); k > 1 {
		squares += stats.Variance(logs) * float64(k-1)
		df += float64(k - 1)
	}
	return math.Sqrt((priorDF*sq(priorNoise) + squares) / (priorDF + df))
}

// growth pools the slopes of the depth over the repeats. Without depths what
// was put in is compared with what was taken out. The third result is the
// slope, in orders per second, up to which an undecided trend is let pass.
func (p *prober) growth(samples []result.Sample, rate float64) (result.Estimate, stats.Trend, float64) {
	var sum, squares float64
	last := stats.Undecided
	visible, allowed := 0.0, stats.DepthTolerance*rate
	for _, s := range samples {
		d := stats.DepthTrend(s.Depths, s.IntervalS, rate)
		if math.IsNaN(d.Slope.Value) {
			behind := rate - s.OrdersPerS
			if behind > (1-reached)*rate {
				return stats.Unbounded(behind), stats.Growing, allowed
			}
			return stats.Unbounded(behind), stats.Stable, allowed
		}
		last = d.Trend
		visible = math.Max(visible, stats.VisibleGrowth(s.Depths, s.IntervalS))
		allowed = math.Max(allowed, stats.BoundedGrowth(s.Depths, s.IntervalS, rate))
		sum += d.Slope.Value
		squares += sq(d.Slope.High - d.Slope.Value)
	}
	k := float64(len(samples))
	m, half := sum/k, math.Sqrt(squares)/k
	e := stats.Interval(m, m-half, m+half)
	if k == 1 {
		return e, last, allowed
	}
	switch {
	case e.Low > 0 && m > math.Max(stats.DepthTolerance*rate, visible):
		return e, stats.Growing, allowed
	case e.High <= allowed:
		return e, stats.Stable, allowed
	default:
		return e, stats.Undecided, allowed
	}
}
