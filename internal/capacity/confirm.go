package capacity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// confirmAttempts bounds the long measurements of a search, each of which may
// take as long as all the short ones together; after narrowAttempts of them the
// others are for what holds already.
const (
	confirmAttempts = 14
	narrowAttempts  = 8
)

// confirmHolds is how many long measurements must hold, and none of them break,
// before a rate or a number of workers is believed. With one, the highest of
// several rates near the boundary is the one that was lucky: a rate found so
// broke in two of three runs after it.
const confirmHolds = 3

// confirm measures the rate found for long, and behind a backlog: a queue near
// its capacity needs longer to settle than a probe takes, and the rows that the
// workers leave behind slow them down until the next VACUUM, which may be a
// minute away. A queue that is always short hides that, because its few orders
// share a page of the index, which inserts clean (after 93,000 orders the index
// had 13 pages); behind a backlog of more than a page the cleaned end is not the
// end that the workers read (269 pages, all read by each search for the first
// order), and they fall behind at half the rate until VACUUM. A rate that is lost
// with one pause of the server cannot be planned with.
//
// Where the rate breaks then, the boundary is searched anew with long measurements:
// downwards in growing strides, or to the middle of the rate and what the
// workers kept up with, until one rate holds; then by bisection. Lowering the
// rate by the tolerance each time was too slow where it broke by half. At last
// the highest rate that held is measured again, and lowered where it breaks.
func (s *searcher) confirm(ctx context.Context) error {
	if s.Confirm == 0 {
		return nil
	}
	found := s.low.Rate
	var top *probed
	var held []lasting // the highest last: below one that held, none is tried
	rate, stride := found, 1+s.Tolerance
	step := stride
search:
	for attempt := range confirmAttempts {
		b, err := s.long(ctx, rate, s.Workers)
		if err != nil {
			return err
		}
		if b.Holds {
			if n := len(held); n == 0 || held[n-1].asked != rate {
				held = append(held, lasting{asked: rate})
			}
			last := &held[len(held)-1]
			last.probed, last.times = b, last.times+1
		} else {
			top = b
			held = slices.DeleteFunc(held, func(l lasting) bool { return l.asked >= rate })
		}
		if len(held) == 0 {
			if top.Rate <= s.MinRate {
				break search
			}
			rate = top.Rate / stride
			stride *= stride
			if top.capacity > 0 {
				rate = math.Min(rate, math.Sqrt(top.Rate*math.Max(top.capacity, top.Rate/2)))
			}
			rate = math.Max(rate, s.MinRate)
			continue
		}
		best := held[len(held)-1]
		near := top == nil || top.Rate <= best.Rate*(1+s.Tolerance)
		late := attempt+1 >= narrowAttempts
		switch {
		case best.times == confirmHolds && (near || late):
			break search
		case near || late && b.Holds:
			rate = best.asked
		case late:
			rate = math.Max(best.asked, top.Rate/step)
			step *= step
		default:
			s.low, s.top = best.probed, top
			rate = math.Sqrt(best.Rate * top.Rate)
			if top.capacity == 0 { // else a backlog has slowed the workers down, and the room says nothing
				rate = s.interpolate()
			}
		}
	}
	if len(held) == 0 {
		s.result.Outcome = result.CapacityUnclear
		s.result.BreaksAt, s.result.Breaks = top.Rate, top.Breaks
		s.result.Answer = fmt.Sprintf("no rate was confirmed: %s orders/s held for %s, but in %s all from there down to %s broke (there %s); take longer measurements",
			amount.Number(found), s.Duration, s.Confirm, amount.Number(top.Rate), strings.Join(top.Breaks, "; "))
		return nil
	}
	best := held[len(held)-1]
	if top != nil {
		s.low, s.top, s.line = best.probed, top, nil
	}
	s.result.ConfirmRuns, s.result.ConfirmS, s.result.BacklogS = best.times, s.Confirm.Seconds(), s.Backlog.Seconds()
	return nil
}

// lasting is a rate that held in long measurements.
type lasting struct {
	asked float64 // which is more than the probe's rate where the producers could not offer it
	times int
	*probed
}

// lastingWorkers is the fewest of least and more, up to s.Workers, that hold
// the rate in long measurements; s.Workers have shown it already.
func (s *searcher) lastingWorkers(ctx context.Context, rate float64, least int) (int, error) {
	for s.Confirm > 0 && least < s.Workers {
		b, err := s.lasts(ctx, rate, least)
		if err != nil || b.Holds {
			return least, err
		}
		least = more(least)
	}
	return min(least, s.Workers), nil
}

// confirmTarget finds how many workers, of least and more, hold the rate of a
// target in long measurements. Where none does, the second result is what
// broke with the last ones that were tried.
func (s *searcher) confirmTarget(ctx context.Context, rate float64, least *probed, maxWorkers int) (held, broken *probed, err error) {
	if s.Confirm == 0 {
		return least, nil, nil
	}
	const attempts = 4
	workers := least.Workers
	for range attempts {
		b, err := s.lasts(ctx, rate, workers)
		if err != nil {
			return nil, nil, err
		}
		if b.Holds {
			return b, broken, nil
		}
		broken = b
		if workers >= maxWorkers {
			break
		}
		workers = min(more(workers), maxWorkers)
	}
	return nil, broken, nil
}

// more is the next number of workers to try where one is too few.
func more(workers int) int { return workers + max(1, workers/2) }

// lasts is the last of the long measurements that it takes to believe a rate,
// or the first that breaks.
func (s *searcher) lasts(ctx context.Context, rate float64, workers int) (b *probed, err error) {
	for range confirmHolds {
		if b, err = s.long(ctx, rate, workers); err != nil || !b.Holds {
			break
		}
	}
	return b, err
}

// long is one measurement for the time of a confirmation.
func (s *searcher) long(ctx context.Context, rate float64, workers int) (*probed, error) {
	backlog := int64(math.Round(rate * s.Backlog.Seconds()))
	sample, err := s.one(ctx, result.Point{Clients: workers, Rate: rate, Duration: s.Confirm, Orders: backlog, Repeat: 1})
	if err != nil {
		return nil, err
	}
	b, err := s.judge(rate, workers, []result.Sample{sample}, false)
	if err != nil {
		return nil, err
	}
	if !b.Holds {
		b.Rate = rate // the producers were held up by what broke the objective
	}
	s.record(b)
	return b, nil
}
