package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/capacity"
	"qbench/internal/result"
)

// points measures points of one strategy: each is a run on a new queue.
type points struct {
	*session
	server *server
	env    *result.Environment
	target *bench.Target
	spec   bench.Spec // of all; each point completes it
	feed   bench.Feed
	most   int64 // orders to seed
	room   int   // clients that the server has connections for, beside the producers
	// keep is given each run and its point; tick, which may be nil, each interval.
	keep func(*result.Run, result.Point)
	tick func(result.Tick, *movedLatencies)

	// fixed says that the user chose the number of partitions, and pinned that
	// each measurement has one for each client.
	fixed, pinned bool

	rates map[int]float64 // orders/s seen without producers, by clients
}

// measure is the capacity package's Measure.
func (m *points) measure(ctx context.Context, p result.Point) (result.Sample, error) {
	if p.Clients > m.room {
		return result.Sample{}, fmt.Errorf("%w (%d clients, and it leaves %d)", capacity.ErrConnections, p.Clients, m.room)
	}
	spec := m.spec
	spec.Clients, spec.Repeat = p.Clients, p.Repeat
	if spec.Load.Threads == 0 {
		spec.Load.Threads = defaultThreads(p.Clients)
	}
	spec.Load.Duration = p.Duration
	spec.Feed = nil
	moved := newMovedLatencies(p.Clients, spec.Load.Threads)
	if p.Rate > 0 {
		feed := m.feed
		feed.Rate = p.Rate
		spec.Feed, spec.Queue.Orders = &feed, p.Orders
		spec.Queue.Claimed = 0
		if p.Orders > 0 {
			// The backlog may be worked off before the measurement begins.
			spec.Load.Warmup = max(spec.Load.Warmup, p.Duration/10)
		}
		spec.Load.Log = moved
	} else {
		spec.Load.Interval = pointInterval(p.Duration)
	}
	for orders := m.ordersFor(p, spec.Load.Warmup); ; {
		if p.Rate == 0 {
			spec.Queue.Orders = orders
		}
		if m.pinned {
			spec.Queue.Partitions = p.Clients
		}
		res, err := m.run(ctx, spec, p, moved)
		if err != nil {
			return result.Sample{}, err
		}
		s := sampleOf(res, spec.Load.Warmup)
		if p.Rate > 0 {
			s.Latency = moved.percentiles()
			s.OfferedPerS = offered(s.OfferedPerS, p.Rate, float64(m.feed.Batch), s.DurationS)
			return s, nil
		}
		if !m.pinned && unserved(res) {
			if m.fixed {
				return result.Sample{}, fmt.Errorf("%s serves one partition per client, so that %s: leave out --partitions, and each measurement has one for each client",
					spec.Mix.Name, unservedText(res))
			}
			m.pinned = true
			continue
		}
		early := res.Drained && res.Orders == 0 && res.WarmupOrders > 0 // before the measurement began
		if early || ranDry(res) {
			if orders < m.most {
				orders = min(m.most, 4*orders)
				continue
			}
			s.Drained, s.DurationS = true, 0
			s.OrdersPerS = max(s.OrdersPerS, float64(res.WarmupOrders)/max(spec.Load.Warmup.Seconds(), shortest.Seconds()))
		}
		m.rates[p.Clients] = max(m.rates[p.Clients], s.OrdersPerS)
		return s, nil
	}
}

// unserved tells a strategy that ties each client to a partition, of which there
// are more than clients: what is in the others waits for nobody.
func unserved(r *result.Run) bool {
	u := r.Partition
	return u != nil && u.Untouched > 0 && u.Partitions-u.Untouched <= r.Clients
}

func unservedText(r *result.Run) string {
	return fmt.Sprintf("%d of %d partitions are served by nobody", r.Partition.Untouched, r.Partition.Partitions)
}

// ranDry tells that a partition ran empty while others did not, so that the
// clients tied to it found nothing to do.
func ranDry(r *result.Run) bool {
	return r.Partition != nil && !r.Drained && r.Partition.Min == 0
}

// offered is the rate that the producers put in: the schedule's own rate where
// the count differs from it by no more than the schedule's moments are random.
// A hundred starts of a Poisson process scatter by a tenth, which says nothing
// about the producers.
func offered(counted, rate, batch, seconds float64) float64 {
	const sure = 3 // standard deviations
	if seconds > 0 && math.Abs(counted-rate) <= sure*math.Sqrt(rate*batch/seconds) {
		return rate
	}
	return counted
}

// run makes one run of a point.
func (m *points) run(ctx context.Context, spec bench.Spec, p result.Point, moved *movedLatencies) (*result.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	title, failed := describeSpec(spec, false), int64(0)
	res, err := m.session.run(m.server, spec, m.env, func(msgs *messages) bench.Hooks {
		return bench.Hooks{
			Seeding: m.con.seeding,
			Running: func(bench.Spec) { m.con.show("%s", title) },
			Tick: func(t result.Tick) {
				failed += t.Failed
				m.con.show("%s: %s", title, statusLine(t, spec, failed, m.con.columns()-len(title)-2))
				if m.tick != nil {
					m.tick(t, moved)
				}
			},
			Waiting: func(what string) { m.con.note("%s", what) },
			Message: msgs.message,
		}
	})
	if res != nil {
		m.keep(res, p)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, connectionLimit(err)
	case res.Audit != nil && !res.Audit.Made():
		return nil, fmt.Errorf("the measurement of %s was NOT AUDITED: %s", amount.Count(p.Clients, "client"), res.Audit.Reason)
	case res.AbortedClients == res.Clients:
		return nil, fmt.Errorf("all clients were aborted: %s", firstOf(res.Errors))
	}
	return res, nil
}

// connectionLimit marks an error that says that the server has no connection
// left.
func connectionLimit(err error) error {
	if which, full := bench.Full(err); full {
		return fmt.Errorf("%w (%s)", capacity.ErrConnections, which)
	}
	return err
}

func firstOf(texts []string) string {
	if len(texts) == 0 {
		return "no reason was given"
	}
	return texts[0]
}

// Of the orders that a point is seeded with where its rate is not known yet.
const (
	firstRate  = 20_000 // orders/s, more than most first points do
	leastSeed  = 1_000
	seedMargin = 1.5 // a later repeat may be faster
)

// ordersFor is how many orders a point is seeded with, so that the queue does
// not run empty before the time is up.
func (m *points) ordersFor(p result.Point, warmup time.Duration) int64 {
	seconds := (p.Duration + warmup).Seconds()
	if p.Orders > 0 {
		// Asked for by one who knows of no warm-up.
		return min(m.most, int64(math.Ceil(float64(p.Orders)*seconds/p.Duration.Seconds())))
	}
	rate, known := m.rates[p.Clients]
	if !known {
		rate = firstRate
		if len(m.rates) > 0 {
			rate = 0
		}
		for clients, r := range m.rates {
			// More clients do more, but not in proportion.
			rate = max(rate, r*math.Max(1, math.Min(2, float64(p.Clients)/float64(clients))))
		}
	}
	return min(m.most, max(leastSeed, int64(rate*seconds*seedMargin)))
}

// pointInterval is the time between two intervals of a drain: enough of them for
// a confidence interval, and none so short that single transactions show.
func pointInterval(d time.Duration) time.Duration {
	const batches = 30
	return min(time.Second, max(50*time.Millisecond, d/batches))
}

// sampleOf is what a run says about its point. What the warm-up did is in
// nothing of it.
func sampleOf(r *result.Run, warmup time.Duration) result.Sample {
	s := result.Sample{
		DurationS: r.DurationS, OrdersPerS: r.OrdersPerS, Drained: r.Drained, CPUShare: r.Client.CPUShare,
		Errors: r.Failed() + int64(r.AbortedClients), Latency: r.Latency,
	}
	if r.Transactions > 0 {
		s.EmptyShare = float64(r.Empty) / float64(r.Transactions)
	}
	if done := r.Orders + r.WarmupOrders; done > 0 {
		// The clock of the CPU began with the warm-up.
		s.CPUPerOrder = r.Client.CPUSeconds / float64(done)
	}
	if r.Producers != nil {
		s.OfferedPerS = r.Producers.OrdersPerS
	}
	if r.Steady != nil {
		s.QueueTime, s.EndToEnd = percentilesOrNil(r.QueueTime), percentilesOrNil(r.EndToEnd)
	}
	var lengths []float64
	for _, t := range measured(r.Intervals, warmup) {
		lengths = append(lengths, t.LengthS)
		s.Rates = append(s.Rates, t.OrdersPerS)
		if t.Depth >= 0 {
			s.Depths = append(s.Depths, float64(t.Depth))
		}
	}
	if n := len(lengths); n > 0 {
		slices.Sort(lengths)
		s.IntervalS = lengths[n/2]
	}
	return s
}

// measured are the whole intervals after the warm-up. One that began in the
// warm-up holds a part of it, and the last one is cut off by the end.
func measured(all []result.Tick, warmup time.Duration) []result.Tick {
	var out []result.Tick
	for i, t := range all {
		begin := t.AtS - t.LengthS
		early := warmup.Seconds()-begin > 0.1*t.LengthS
		cut := i == len(all)-1 && i > 0 && t.LengthS < 0.9*all[i-1].LengthS
		if !t.Warmup && !early && !cut {
			out = append(out, t)
		}
	}
	return out
}

func percentilesOf(l *result.Latency) result.Latency {
	return result.Latency{Mean: l.Mean, P50: l.P50, P90: l.P90, P95: l.P95, P99: l.P99, P999: l.P999, Max: l.Max}
}

func percentilesOrNil(l *result.Latency) *result.Latency {
	if l == nil {
		return nil
	}
	p := percentilesOf(l)
	return &p
}
