package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Points measures points of one strategy for capacity planning: each is a run on
// a new queue.
type Points struct {
	Spec Spec  // of all; each point completes it
	Feed Feed  // of points with a rate, which is the point's
	Most int64 // orders to seed
	Room int   // clients that the server has connections for next to the producers
	// FixedPartitions says that the user chose the number of partitions.
	FixedPartitions bool
	// Run makes one run and shows it.
	Run func(context.Context, Spec) (*result.Run, error)

	pinned bool            // each measurement has a partition for each client
	rates  map[int]float64 // orders/s seen without producers, by clients
}

// leastWarmup is the time that orders of a warm-up are divided by at least.
const leastWarmup = 100 * time.Millisecond

// Measure makes a point's run, and as many more as it takes for one that says
// something about the point. It wraps [result.ErrConnections] where the server has
// too few of them.
func (m *Points) Measure(ctx context.Context, p result.Point) (result.Sample, error) {
	if p.Clients > m.Room {
		return result.Sample{}, fmt.Errorf("%w (%d clients, and it leaves %d)", result.ErrConnections, p.Clients, m.Room)
	}
	spec := m.Spec
	spec.Clients, spec.Repeat = p.Clients, p.Repeat
	spec.Load.Duration = p.Duration
	spec.Feed = nil
	if p.Rate > 0 {
		feed := m.Feed
		feed.Rate = p.Rate
		spec.Feed, spec.Queue.Orders = &feed, p.Orders
		spec.Queue.Claimed = 0
		if p.Orders > 0 {
			// The backlog may be worked off before the measurement begins.
			spec.Load.Warmup = max(spec.Load.Warmup, p.Duration/10)
		}
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
		res, err := m.run(ctx, spec)
		if err != nil {
			return result.Sample{}, err
		}
		s := sampleOf(res, spec.Load.Warmup)
		if p.Rate > 0 {
			s.OfferedPerS = offered(s.OfferedPerS, p.Rate, float64(m.Feed.Batch), s.DurationS)
			return s, nil
		}
		if !m.pinned && unserved(res) {
			if m.FixedPartitions {
				return result.Sample{}, fmt.Errorf("%s serves one partition per client, so that %s: leave out --partitions, and each measurement has one for each client",
					spec.Mix.Name, unservedText(res))
			}
			m.pinned = true
			continue
		}
		early := res.Drained && res.Orders == 0 && res.WarmupOrders > 0 // before the measurement began
		if early || ranDry(res) {
			if orders < m.Most {
				orders = min(m.Most, 4*orders)
				continue
			}
			s.Drained, s.DurationS = true, 0
			s.OrdersPerS = max(s.OrdersPerS, float64(res.WarmupOrders)/max(spec.Load.Warmup.Seconds(), leastWarmup.Seconds()))
		}
		if m.rates == nil {
			m.rates = map[int]float64{}
		}
		m.rates[p.Clients] = max(m.rates[p.Clients], s.OrdersPerS)
		return s, nil
	}
}

// unserved tells a strategy that ties each client to a partition, of which there
// are more than clients: no client takes what is in the others.
func unserved(r *result.Run) bool {
	u := r.Partition
	return u != nil && u.Untouched > 0 && u.Partitions-u.Untouched <= r.Clients
}

func unservedText(r *result.Run) string {
	return fmt.Sprintf("%d of %d partitions are served by no client", r.Partition.Untouched, r.Partition.Partitions)
}

// ranDry tells that a partition ran empty while others did not, so that the
// clients tied to it found nothing to do.
func ranDry(r *result.Run) bool {
	return r.Partition != nil && !r.Drained && r.Partition.Min == 0
}

// run makes one run, which fails where it says nothing about its point.
func (m *Points) run(ctx context.Context, spec Spec) (*result.Run, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	res, err := m.Run(ctx, spec)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, connectionLimit(err)
	case res.Audit != nil && !res.Audit.Made():
		return nil, fmt.Errorf("the measurement of %s was NOT AUDITED: %s", amount.Count(spec.Clients, "client"), res.Audit.Reason)
	case res.AbortedClients == res.Clients && len(res.Errors) > 0:
		return nil, fmt.Errorf("all clients were aborted: %s", res.Errors[0])
	case res.AbortedClients == res.Clients:
		return nil, fmt.Errorf("all clients were aborted")
	}
	return res, nil
}

// connectionLimit marks an error that says that the server has no connection
// left.
func connectionLimit(err error) error {
	if which, full := Full(err); full {
		return fmt.Errorf("%w (%s)", result.ErrConnections, which)
	}
	return err
}

// Of the orders that a point is seeded with where its rate is not known yet.
const (
	firstRate  = 20_000 // orders/s, more than most first points do
	leastSeed  = 1_000
	seedMargin = 1.5 // a later repeat may be faster
)

// ordersFor is how many orders a point is seeded with, so that the queue does
// not run empty before the time is up.
func (m *Points) ordersFor(p result.Point, warmup time.Duration) int64 {
	seconds := (p.Duration + warmup).Seconds()
	if p.Orders > 0 {
		// Asked for by one who knows of no warm-up.
		return min(m.Most, int64(math.Ceil(float64(p.Orders)*seconds/p.Duration.Seconds())))
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
	return min(m.Most, max(leastSeed, int64(rate*seconds*seedMargin)))
}

// pointInterval is the time between two intervals of a drain: enough of them for
// a confidence interval, and none so short that single transactions show.
func pointInterval(d time.Duration) time.Duration {
	const batches = 30
	return min(time.Second, max(50*time.Millisecond, d/batches))
}
