package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// RunTarget finds the fewest workers that hold a rate. It begins with
// cfg.Workers (the sweep's recommendation); if those do not hold it, it
// doubles them up to maxWorkers before it says that it can't be done. Of the
// configuration it uses SLO, Workers, Duration, Confirm, MaxRepeats, Capacity
// (of those workers), Now and Observe.
func RunTarget(ctx context.Context, cfg SearchConfig, rate float64, maxWorkers int, measure Measure) (*result.Target, error) {
	cfg.defaults()
	s := &searcher{SearchConfig: cfg, prober: newProber(&cfg, measure)}
	s.result = &result.Search{}
	t := &result.Target{SLO: cfg.SLO.String(), Rate: rate}
	err := s.target(ctx, t, maxWorkers)
	t.Probes, t.Points = s.result.Probes, s.points
	if errors.Is(err, result.ErrConnections) {
		t.Outcome = result.CapacityNoConnections
		t.Answer = fmt.Sprintf("not decided: %v; raise max_connections, end other sessions or allow fewer workers", err)
		return t, nil
	}
	if err != nil {
		t.Outcome = result.CapacityUnfinished
		t.Answer = unfinished("search", err)
	}
	return t, err
}

func (s *searcher) target(ctx context.Context, t *result.Target, maxWorkers int) error {
	workers := min(max(1, s.Workers), maxWorkers)
	var broken, best *probed
	for {
		b, err := s.probe(ctx, t.Rate, workers)
		if errors.Is(err, result.ErrConnections) && broken != nil {
			maxWorkers = broken.Workers
			s.impossible(t, best, maxWorkers, "the server has no connections for more")
			return nil
		}
		if err != nil {
			return err
		}
		s.record(b)
		if b.Short {
			t.Outcome, t.Breaks = result.CapacityUnclear, b.Breaks
			t.Answer = fmt.Sprintf("cannot be said: the producers could offer only %s of %s orders/s; give them more clients", amount.Number(b.Rate), amount.Number(t.Rate))
			return nil
		}
		if b.Holds {
			below := 0
			if broken != nil {
				below = broken.Workers
			}
			least, under, err := s.leastWorkers(ctx, t.Rate, workers, below)
			if err != nil {
				return err
			}
			held, tired, err := s.confirmTarget(ctx, t.Rate, least, maxWorkers)
			if err != nil {
				return err
			}
			if held == nil {
				s.tired(t, least, tired)
				return nil
			}
			if tired != nil {
				under = tired
			}
			t.Confirmed = s.Confirm > 0
			s.found(t, held, under, broken)
			return nil
		}
		broken = b
		if best == nil || b.room > best.room {
			best = b
		}
		if workers >= maxWorkers {
			s.impossible(t, best, maxWorkers, "")
			return nil
		}
		workers = min(2*workers, maxWorkers)
	}
}

func (s *searcher) found(t *result.Target, least, under, broken *probed) {
	t.Outcome, t.Workers = result.CapacityFound, least.Workers
	verb := "hold"
	if least.Workers == 1 {
		verb = "holds"
	}
	t.Answer = fmt.Sprintf("%s %s %s orders/s at %s", amount.Count(least.Workers, "worker"), verb, amount.Number(t.Rate), t.SLO)
	if under == nil {
		under = broken
	}
	if under != nil {
		t.Breaks = under.Breaks
		t.Answer += fmt.Sprintf("; with %d %s", under.Workers, strings.Join(under.Breaks, "; "))
	}
	if t.Confirmed {
		t.Answer += fmt.Sprintf("; confirmed by %d measurements of %s", confirmHolds, s.Confirm)
	}
}

// tired says that a number of workers held the rate for a while only.
func (s *searcher) tired(t *result.Target, least, tired *probed) {
	t.Outcome, t.Breaks = result.CapacityUnclear, tired.Breaks
	t.Answer = fmt.Sprintf("cannot be said: %s held %s orders/s at %s for %s, but in %s they and more of them, up to %d, broke (%s)",
		amount.Count(least.Workers, "worker"), amount.Number(t.Rate), t.SLO, s.Duration, s.Confirm, tired.Workers, strings.Join(tired.Breaks, "; "))
}

func (s *searcher) impossible(t *result.Target, best *probed, maxWorkers int, why string) {
	t.Outcome, t.Breaks = result.CapacityImpossible, best.Breaks
	t.Answer = fmt.Sprintf("%s orders/s at %s can't be done with up to %s: at best (%d) %s", amount.Number(t.Rate), t.SLO, amount.Count(maxWorkers, "worker"), best.Workers, strings.Join(best.Breaks, "; "))
	if why != "" {
		t.Answer += "; " + why
	}
}

// nearEnough is the ratio of two worker counts that nobody would choose
// between: from twenty workers on the search stops within one in twenty.
const nearEnough = 1.05

// leastWorkers bisects, by ratio, between a number of workers that does not
// hold the rate (0 never does) and one that does. It returns the fewest that
// hold it, and the most that do not: nil if none was tried. The queue's own
// arithmetic gives the first guess: workers × capacity per worker ≥ rate.
func (s *searcher) leastWorkers(ctx context.Context, rate float64, holds, breaks int) (least, under *probed, err error) {
	least = &probed{Probe: result.Probe{Workers: holds, Rate: rate, Holds: true}}
	guess := 0
	if s.Capacity > 0 && s.Workers > 0 {
		guess = int(math.Ceil(rate / (s.Capacity / float64(s.Workers))))
	}
	for least.Workers-breaks > 1 && float64(least.Workers) > nearEnough*float64(breaks) {
		n := int(math.Round(math.Sqrt(float64(least.Workers) * float64(max(breaks, 1)))))
		if guess > breaks && guess < least.Workers {
			n = guess
		}
		guess = 0
		n = min(max(n, breaks+1), least.Workers-1)
		b, err := s.probe(ctx, rate, n)
		if err != nil {
			return nil, nil, err
		}
		s.record(b)
		if b.Holds {
			least = b
		} else {
			under, breaks = b, n
		}
	}
	return least, under, nil
}
