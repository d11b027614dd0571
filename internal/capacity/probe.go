package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"qbench/internal/amount"
)

// Probe is one rate with one number of workers, measured once or, where it
// was doubtful, several times.
type Probe struct {
	Rate     float64 `json:"rate"` // orders/s really offered
	Workers  int     `json:"workers"`
	Repeats  int     `json:"repeats"`
	Holds    bool    `json:"holds"`
	Doubtful bool    `json:"doubtful,omitempty"` // decided by the means, within the noise
	// Short says that the producers could not offer what they were asked to.
	Short  bool      `json:"short,omitempty"`
	Values []float64 `json:"values_ms"` // of the level's terms, in its order
	Growth Estimate  `json:"growth_per_s"`
	// P99MS is of the workers' transactions, CPUPerOrder of the clients in
	// seconds; both means of the repeats.
	P99MS       float64  `json:"p99_ms"`
	CPUPerOrder float64  `json:"cpu_per_order_s"`
	Breaks      []string `json:"breaks,omitempty"` // what is broken, in plain words

	// room is limit/value - 1 of the tightest term: positive where the level
	// holds. capacity is the rate that the workers keep up with, where the
	// queue grows; 0 elsewhere.
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
	level      Level
	duration   time.Duration
	maxRepeats int
	measure    Measure
	observe    func(Measurement)
	now        Clock
	start      time.Time

	squares, df float64 // pooled scatter of log(value) between repeats
	points      int
}

// probe measures a rate until its verdict is beyond the noise, or the repeats
// are used up.
func (p *prober) probe(ctx context.Context, rate float64, workers int) (*Probe, error) {
	var samples []Sample
	for {
		s, err := p.one(ctx, Point{Clients: workers, Rate: rate, Duration: p.duration, Repeat: len(samples) + 1})
		if err != nil {
			return nil, err
		}
		samples = append(samples, s)
		b, err := p.judge(rate, workers, samples)
		if err != nil {
			return nil, err
		}
		if !b.Doubtful || len(samples) >= p.maxRepeats {
			p.learn(samples)
			return b, nil
		}
	}
}

func (p *prober) one(ctx context.Context, point Point) (Sample, error) {
	at := p.now().Sub(p.start).Seconds()
	s, err := p.measure(ctx, point)
	if err != nil {
		return s, fmt.Errorf("%s orders/s with %s: %w", perSecond(point.Rate), amount.Count(point.Clients, "worker"), err)
	}
	p.points++
	if p.observe != nil {
		p.observe(Measurement{point, s, at})
	}
	return s, nil
}

var errUnmeasured = errors.New("the run did not measure it")

// judge compares the repeats of one point with the level and looks at the
// depth. The verdict is beyond doubt if something is broken beyond doubt, or
// everything holds beyond doubt.
func (p *prober) judge(rate float64, workers int, samples []Sample) (*Probe, error) {
	b := &Probe{Rate: rate, Workers: workers, Repeats: len(samples), Holds: true, room: math.Inf(1)}
	var moved, offered float64
	for _, s := range samples {
		moved += s.OrdersPerS / float64(len(samples))
		offered += s.OfferedPerS / float64(len(samples))
		b.P99MS += s.Transaction.P99 / float64(len(samples))
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
	for _, t := range p.level {
		logs := make([]float64, len(samples))
		for i := range samples {
			v, ok := t.of(&samples[i])
			if !ok {
				return nil, fmt.Errorf("the level asks for %s, but %w", t, errUnmeasured)
			}
			logs[i] = math.Log(math.Max(v, 1e-9) / t.LimitMS) // a nanosecond is below any clock
		}
		m := mean(logs)
		value := t.LimitMS * math.Exp(m)
		b.Values = append(b.Values, value)
		b.room = math.Min(b.room, math.Expm1(-m))
		doubt := math.Abs(m) < sure*p.noise(logs)/math.Sqrt(float64(len(logs)))
		b.Doubtful = b.Doubtful || doubt
		if m >= 0 {
			broken(!doubt, "%s %s is %s", t.Latency, t.Stat, millisText(round3(value)))
		}
	}
	growth, trend, allowed := p.growth(samples, b.Rate)
	b.Growth = growth
	if trend == Growing || trend == Undecided && growth.Value > allowed {
		// A growing queue comes first: it is why the latencies rise.
		rest := b.Breaks
		b.Breaks = nil
		broken(trend == Growing, "the queue grows by %s orders/s", perSecond(growth.Value))
		b.Breaks = append(b.Breaks, rest...)
		b.capacity = b.Rate - growth.Value
	}
	b.Doubtful = (b.Doubtful || trend == Undecided) && !certain
	return b, nil
}

func round3(x float64) float64 {
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// noise is the standard deviation of one log(value): what was pooled so far
// with these repeats and the prior.
func (p *prober) noise(logs []float64) float64 {
	squares, df := p.squares, p.df
	if k := len(logs); k > 1 {
		squares += variance(logs) * float64(k-1)
		df += float64(k - 1)
	}
	return math.Sqrt((priorDF*sq(priorNoise) + squares) / (priorDF + df))
}

// learn pools the scatter of a point's repeats.
func (p *prober) learn(samples []Sample) {
	if len(samples) < 2 {
		return
	}
	for _, t := range p.level {
		logs := make([]float64, len(samples))
		for i := range samples {
			v, _ := t.of(&samples[i])
			logs[i] = math.Log(math.Max(v, 1e-9))
		}
		p.squares += variance(logs) * float64(len(logs)-1) / float64(len(p.level))
		p.df += float64(len(logs)-1) / float64(len(p.level))
	}
}

// growth pools the slopes of the depth over the repeats. Without depths what
// was put in is compared with what was taken out. The third result is the
// slope, in orders per second, up to which an undecided trend is let pass.
func (p *prober) growth(samples []Sample, rate float64) (Estimate, Trend, float64) {
	var sum, squares float64
	last := Undecided
	visible, allowed := 0.0, DepthTolerance*rate
	for _, s := range samples {
		d := DepthTrend(s.Depths, s.IntervalS, rate)
		if math.IsNaN(d.Slope.Value) {
			behind := rate - s.OrdersPerS
			if behind > (1-reached)*rate {
				return exact(behind), Growing, allowed
			}
			return exact(behind), Stable, allowed
		}
		last = d.Trend
		visible = math.Max(visible, visibleGrowth(s.Depths, s.IntervalS))
		allowed = math.Max(allowed, boundedGrowth(s.Depths, s.IntervalS, rate))
		sum += d.Slope.Value
		squares += sq(d.Slope.High - d.Slope.Value)
	}
	k := float64(len(samples))
	m, half := sum/k, math.Sqrt(squares)/k
	e := Estimate{m, m - half, m + half}
	if k == 1 {
		return e, last, allowed
	}
	switch {
	case e.Low > 0 && m > math.Max(DepthTolerance*rate, visible):
		return e, Growing, allowed
	case e.High <= allowed:
		return e, Stable, allowed
	default:
		return e, Undecided, allowed
	}
}
