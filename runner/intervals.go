package runner

import (
	"qbench/internal/result"
)

// maxIntervals bounds the intervals of a result, each some 25 kB with its
// histogram. A run of a quarter of an hour keeps every second; in a longer one
// neighbours are merged, so that memory does not grow with the run.
const maxIntervals = 1000

// intervals collects the intervals of a run. When there are too many, pairs of
// neighbours become one, and each later one takes as many ticks.
type intervals struct {
	list  []result.Tick
	width int // ticks that an entry takes
	open  int // ticks in the last entry
}

func (s *intervals) add(t result.Tick) {
	s.width = max(1, s.width)
	if n := len(s.list); n > 0 && s.open < s.width && s.list[n-1].Warmup == t.Warmup {
		s.list[n-1].Merge(t)
		s.open++
		return
	}
	s.list = append(s.list, t)
	s.open = 1
	if len(s.list) > maxIntervals {
		s.halve()
	}
}

// halve merges neighbours in pairs. The warm-up stays apart.
func (s *intervals) halve() {
	var out []result.Tick
	s.open = s.width // the newest entry may stay without a partner
	for i := 0; i < len(s.list); i++ {
		t := s.list[i]
		if i+1 < len(s.list) && s.list[i+1].Warmup == t.Warmup {
			i++
			t.Merge(s.list[i])
			s.open = 2 * s.width
		} else {
			s.open = s.width
		}
		out = append(out, t)
	}
	s.list = out
	s.width *= 2
}
