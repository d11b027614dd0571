package capacity

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"qbench/internal/result"
)

// fluid simulates the depth of a queue per interval of one second: Poisson-like
// flows in and out, and never fewer than no orders.
func fluid(rng *rand.Rand, in, out float64, seconds int) []float64 {
	var depths []float64
	depth := 0.0
	const parts = 50
	for range seconds {
		for range parts {
			a := in/parts + math.Sqrt(in/parts)*rng.NormFloat64()
			b := out/parts + math.Sqrt(out/parts)*rng.NormFloat64()
			depth = math.Max(0, depth+a-b)
		}
		depths = append(depths, math.Round(depth))
	}
	return depths
}

// station simulates an M/M/c queue: workers of equal speed behind one queue.
type station struct {
	rng       *rand.Rand
	service   float64 // orders/s of one worker
	noise     float64 // of a latency, relative
	offers    float64 // the most that the producers put in; 0: no limit
	limit     int     // workers that the server has connections for; 0: no limit
	elapsed   time.Duration
	points    int
	noLatency bool
}

// waitTail is P(time in the system > t) of an M/M/c queue (Kleinrock,
// "Queueing Systems", volume 1, section 3.5, with Erlang's C).
func waitTail(t, rate, service float64, c int) float64 {
	load := rate / service
	inverse := 1.0 // of Erlang's B, by its recursion
	for k := 1; k <= c; k++ {
		inverse = 1 + inverse*float64(k)/load
	}
	b := 1 / inverse
	wait := b / (1 - load/float64(c)*(1-b))
	spare := float64(c)*service - rate
	if math.Abs(spare-service) < 1e-9*service {
		return math.Exp(-service*t) * (1 + wait*service*t)
	}
	// The sum of a service time and, with probability wait, a waiting time.
	return math.Exp(-service*t) + wait*service/(spare-service)*(math.Exp(-service*t)-math.Exp(-spare*t))
}

// p99 is the 99th percentile in ms; +Inf at and above the capacity.
func p99(rate, service float64, c int) float64 {
	if rate >= service*float64(c) {
		return math.Inf(1)
	}
	lo, hi := 0.0, 1.0
	for waitTail(hi, rate, service, c) > 0.01 {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; waitTail(mid, rate, service, c) > 0.01 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return 1000 * hi
}

// boundary is the highest rate with p99 below the limit.
func boundary(limitMS, service float64, c int) float64 {
	lo, hi := 0.0, service*float64(c)
	for range 60 {
		if mid := (lo + hi) / 2; p99(mid, service, c) < limitMS {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func (q *station) now() time.Time { return time.Unix(1e9, 0).Add(q.elapsed) }

func (q *station) measure(ctx context.Context, p result.Point) (result.Sample, error) {
	if err := ctx.Err(); err != nil {
		return result.Sample{}, err
	}
	if q.limit > 0 && p.Clients > q.limit {
		return result.Sample{}, fmt.Errorf("%w: %d are too many", result.ErrConnections, p.Clients)
	}
	q.points++
	q.elapsed += p.Duration
	offered, capacity := p.Rate, q.service*float64(p.Clients)
	if q.offers > 0 {
		offered = math.Min(offered, q.offers)
	}
	s := result.Sample{DurationS: p.Duration.Seconds(), OfferedPerS: offered, OrdersPerS: math.Min(offered, capacity), IntervalS: 1}
	s.Depths = fluid(q.rng, offered, capacity, int(s.DurationS))
	latency := p99(offered, q.service, p.Clients)
	if math.IsInf(latency, 1) {
		// The last ones wait for all before them.
		latency = p99(0.9*capacity, q.service, p.Clients) + 1000*slices.Max(s.Depths)/capacity
	}
	s.Run = &result.Run{}
	if !q.noLatency {
		s.Run.Steady = &result.Steady{}
		s.Run.EndToEnd = &result.Latency{P99: latency * math.Exp(q.noise*q.rng.NormFloat64())}
	}
	return s, nil
}
