package runner

import (
	"context"
	"time"
)

// observer collects what the threads did, interval by interval.
type observer struct {
	run       *run
	first     time.Duration // until the first tick
	observe   func(Tick)
	ticks     intervals
	totals    []*Stats // by group
	last      time.Time
	lastAcked int64
	lastIn    int64
}

// newObserver starts the first interval at GO. Where the clock starts before
// connecting, it ends earlier: pgbench's intervals count from there, and only
// then is the last one over when -T is.
func newObserver(r *run, observe func(Tick), connected time.Duration) *observer {
	o := &observer{run: r, observe: observe, last: r.base, first: r.cfg.Interval}
	if r.cfg.ClockBeforeConnect {
		o.first -= connected % r.cfg.Interval
	}
	for i := range r.cfg.Groups {
		o.totals = append(o.totals, newStats(r.cfg.Groups[i].Rate > 0))
	}
	return o
}

func newStats(scheduled bool) *Stats {
	s := &Stats{LatencyHist: NewHistogram(FineDigits)}
	if scheduled {
		s.LagHist = NewHistogram(FineDigits)
	}
	return s
}

// Merge adds o to s.
func (s *Stats) Merge(o *Stats) {
	s.Transactions += o.Transactions
	s.Orders += o.Orders
	s.Empty += o.Empty
	s.Skipped += o.Skipped
	s.Late += o.Late
	s.Retried += o.Retried
	s.Retries += o.Retries
	s.Deadlocks += o.Deadlocks
	s.Failures.Serialization += o.Failures.Serialization
	s.Failures.Deadlock += o.Failures.Deadlock
	s.Failures.Other += o.Failures.Other
	mergeHist(&s.LatencyHist, o.LatencyHist)
	mergeHist(&s.LagHist, o.LagHist)
}

func mergeHist(into **Histogram, o *Histogram) {
	if o == nil {
		return
	}
	if *into == nil {
		*into = NewHistogram(FineDigits)
	}
	(*into).Merge(o)
}

func (s *Stats) reset() {
	latency, lag := s.LatencyHist, s.LagHist
	latency.Reset()
	if lag != nil {
		lag.Reset()
	}
	*s = Stats{LatencyHist: latency, LagHist: lag}
}

// watch ticks until the run is over; it reports whether ctx ended it.
func (o *observer) watch(ctx context.Context, done <-chan struct{}) (interrupted bool) {
	r := o.run
	ticker := time.NewTicker(o.first)
	defer ticker.Stop()
	cancelled, kill := ctx.Done(), r.cfg.Kill
	end := &ending{run: r}
	var checks <-chan time.Time
	if r.cfg.Grace > 0 {
		check := time.NewTicker(endingCheck)
		defer check.Stop()
		checks = check.C
	}
	for {
		select {
		case <-done:
			o.tick(true)
			return interrupted
		case <-cancelled:
			interrupted = true
			cancelled = nil
			r.halt()
		case <-kill:
			interrupted = true
			kill = nil
			r.quit.Store(true)
			r.halt()
		case <-checks:
			end.check(o)
		case <-ticker.C:
			if o.first != r.cfg.Interval {
				o.first = r.cfg.Interval
				ticker.Reset(o.first)
			}
			o.tick(false)
		}
	}
}

// tick collects an interval from all threads. The last one is shorter, and is
// dropped from the list where next to nothing lies in it.
func (o *observer) tick(last bool) {
	r := o.run
	parts := make([]*Stats, len(r.cfg.Groups))
	for i := range parts {
		parts[i] = newStats(r.cfg.Groups[i].Rate > 0)
	}
	for _, t := range r.threads {
		collect := func() {
			for i, g := range t.groups {
				parts[i].Merge(g.stats)
				g.stats.reset()
			}
		}
		if last {
			collect() // the threads have ended
			continue
		}
		o.onThread(t, collect)
	}
	for i, p := range parts {
		o.totals[i].Merge(p)
	}
	now := time.Now()
	if last {
		now = r.base.Add(time.Duration(r.end(0)))
	}
	length := now.Sub(o.last)
	if last && length < r.cfg.Interval/10 {
		return
	}
	o.last = now
	tick := o.makeTick(parts, now.Sub(r.base), length)
	if !r.cfg.NoIntervals {
		o.ticks.add(tick)
	}
	if o.observe != nil && !last {
		o.observe(tick)
	}
}

// onThread runs fn on a thread and waits for it; a thread that has ended in
// the meantime runs it all the same, or is waited for no longer.
func (o *observer) onThread(t *thread, fn func()) {
	done := make(chan struct{})
	t.post(func() {
		fn()
		close(done)
	})
	select {
	case <-done:
	case <-t.ended:
		t.box.run() // what came too late for the thread itself
	}
}

func (o *observer) makeTick(parts []*Stats, at, length time.Duration) Tick {
	r := o.run
	s := parts[0]
	h := NewHistogram(CoarseDigits)
	h.Merge(s.LatencyHist)
	l := s.LatencyHist.Latency()
	seconds := length.Seconds()
	tick := Tick{
		AtS: at.Seconds(), LengthS: seconds,
		Empty: s.Empty, Failed: s.Failed(), Skipped: s.Skipped, Retried: s.Retried, Retries: s.Retries,
		MeanMS: l.Mean, StdDevMS: l.StdDev, P50MS: l.P50, P99MS: l.P99, MaxMS: l.Max,
		Depth: -1, Warmup: int64(at) <= r.measureFrom, Hist: h,
	}
	if s.LagHist != nil {
		tick.LagMS = s.LagHist.Mean()
	}
	acked, in := r.acked(), r.enqueued()
	if seconds > 0 {
		tick.TPS = float64(s.Transactions) / seconds
		tick.OrdersPerS = float64(s.Orders) / seconds
		tick.EnqueuedPerS = float64(in-o.lastIn) / seconds
	}
	if r.cfg.Backlog >= 0 && r.countsOrders() {
		tick.Depth = r.cfg.Backlog + in - acked
	}
	o.lastAcked, o.lastIn = acked, in
	return tick
}
