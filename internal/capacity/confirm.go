package capacity

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// confirmAttempts bounds the long measurements, each of which may take as long
// as all the short ones together.
const confirmAttempts = 8

// confirm measures the rate found for long, and behind a backlog: a queue near
// its capacity needs longer to settle than a probe takes, and the rows that the
// workers leave behind slow them down until the next VACUUM, which may be a
// minute away. A queue that is always short hides that, because its few orders
// share a page of the index, which inserts clean; the first pause of the server
// leaves more than a page, and then the workers fall behind at half the rate
// for good. A rate that is lost with one pause cannot be planned with.
//
// Where the rate breaks then, the boundary is searched anew with long measurements:
// downwards in growing strides, or to the middle of the rate and what the
// workers kept up with, until one rate holds; then by bisection. Lowering the
// rate by the tolerance each time was too slow where it broke by half.
func (s *searcher) confirm(ctx context.Context) error {
	if s.Confirm == 0 {
		return nil
	}
	found := s.low.Rate
	var low, top *Probe
	rate, stride := found, 1+s.Tolerance
	for range confirmAttempts {
		b, err := s.long(ctx, rate, s.Workers)
		if err != nil {
			return err
		}
		if b.Holds {
			low = b
		} else {
			top = b
		}
		switch {
		case top == nil:
			s.confirmed()
			return nil
		case low == nil:
			rate = top.Rate / stride
			stride *= stride
			if top.capacity > 0 {
				rate = math.Min(rate, math.Sqrt(top.Rate*math.Max(top.capacity, top.Rate/2)))
			}
			rate = math.Max(rate, s.MinRate)
		default:
			s.low, s.top = low, top
			rate = math.Sqrt(low.Rate * top.Rate)
			if top.capacity == 0 { // else a backlog has slowed the workers down, and the room says nothing
				rate = s.interpolate()
			}
		}
		if low != nil && top.Rate <= low.Rate*(1+s.Tolerance) || low == nil && top.Rate <= s.MinRate {
			break
		}
	}
	if low == nil {
		s.result.Outcome = Unclear
		s.result.BreaksAt, s.result.Breaks = top.Rate, top.Breaks
		s.result.Answer = fmt.Sprintf("no rate was confirmed: %s orders/s held for %s, but in %s all from there down to %s broke (there %s); take longer measurements",
			perSecond(found), s.Duration, s.Confirm, perSecond(top.Rate), strings.Join(top.Breaks, "; "))
		return nil
	}
	s.low, s.top, s.line = low, top, nil
	s.confirmed()
	return nil
}

func (s *searcher) confirmed() {
	s.result.Confirmed, s.result.ConfirmS, s.result.BacklogS = true, s.Confirm.Seconds(), s.Backlog.Seconds()
}

// lastingWorkers is the fewest of least and more, up to s.Workers, that hold
// the rate in a long measurement; s.Workers have shown it already.
func (s *searcher) lastingWorkers(ctx context.Context, rate float64, least int) (int, error) {
	for s.Confirm > 0 && least < s.Workers {
		b, err := s.long(ctx, rate, least)
		if err != nil || b.Holds {
			return least, err
		}
		least = more(least)
	}
	return min(least, s.Workers), nil
}

// confirmTarget finds how many workers, of least and more, hold the rate of a
// target in a long measurement. Where none does, the second result is what
// broke with the last ones that were tried.
func (s *searcher) confirmTarget(ctx context.Context, rate float64, least *Probe, maxWorkers int) (held, broken *Probe, err error) {
	if s.Confirm == 0 {
		return least, nil, nil
	}
	const attempts = 4
	workers := least.Workers
	for range attempts {
		b, err := s.long(ctx, rate, workers)
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

// long is one measurement for the time of a confirmation.
func (s *searcher) long(ctx context.Context, rate float64, workers int) (*Probe, error) {
	backlog := int64(math.Round(rate * s.Backlog.Seconds()))
	sample, err := s.one(ctx, Point{Clients: workers, Rate: rate, Duration: s.Confirm, Orders: backlog, Repeat: 1})
	if err != nil {
		return nil, err
	}
	b, err := s.judge(rate, workers, []Sample{sample})
	if err != nil {
		return nil, err
	}
	if !b.Holds {
		b.Rate = rate // the producers were held up by what broke the level
	}
	s.result.Probes = append(s.result.Probes, b)
	return b, nil
}
