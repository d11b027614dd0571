package runner

// maxIntervals bounds the intervals of a result, each some 25 kB with its
// histogram. A run of a quarter of an hour keeps every second; in a longer one
// neighbours are merged, so that memory does not grow with the run.
const maxIntervals = 1000

// intervals collects the intervals of a run. When there are too many, pairs of
// neighbours become one, and each later one takes as many ticks.
type intervals struct {
	list  []Tick
	width int // ticks that an entry takes
	open  int // ticks in the last entry
}

func (s *intervals) add(t Tick) {
	s.width = max(1, s.width)
	if n := len(s.list); n > 0 && s.open < s.width && s.list[n-1].Warmup == t.Warmup {
		s.list[n-1].merge(t)
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
	var out []Tick
	s.open = s.width // the newest entry may stay without a partner
	for i := 0; i < len(s.list); i++ {
		t := s.list[i]
		if i+1 < len(s.list) && s.list[i+1].Warmup == t.Warmup {
			i++
			t.merge(s.list[i])
			s.open = 2 * s.width
		} else {
			s.open = s.width
		}
		out = append(out, t)
	}
	s.list = out
	s.width *= 2
}

// merge adds the interval that follows t.
func (t *Tick) merge(next Tick) {
	a, b := t.LengthS, next.LengthS
	mean := func(x, y float64) float64 { return (x*a + y*b) / (a + b) }
	if a+b > 0 {
		t.TPS, t.OrdersPerS = mean(t.TPS, next.TPS), mean(t.OrdersPerS, next.OrdersPerS)
		t.EnqueuedPerS = mean(t.EnqueuedPerS, next.EnqueuedPerS)
	}
	if n, m := float64(t.Hist.Count()), float64(next.Hist.Count()); n+m > 0 {
		t.LagMS = (t.LagMS*n + next.LagMS*m) / (n + m)
	}
	t.AtS, t.LengthS, t.Depth = next.AtS, a+b, next.Depth
	t.Empty += next.Empty
	t.Failed += next.Failed
	t.Skipped += next.Skipped
	t.Retried += next.Retried
	t.Retries += next.Retries
	t.Hist.Merge(next.Hist)
	l := t.Hist.Latency()
	t.MeanMS, t.StdDevMS, t.P50MS, t.P99MS, t.MaxMS = l.Mean, l.StdDev, l.P50, l.P99, l.Max
}
