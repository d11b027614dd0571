package runner

import (
	"context"
	"time"

	"qbench/internal/result"
)

// observer collects what the loops did, interval by interval.
type observer struct {
	run     *run
	first   time.Duration // until the first tick
	observe func(result.Tick)
	ticks   intervals
	totals  []*result.Stats // by group
	last    time.Time
	lastIn  int64
}

// newObserver starts the first interval at GO. Where the clock starts before
// connecting, it ends earlier: pgbench's intervals count from there, and only
// then is the last one over when -T is.
func newObserver(r *run, observe func(result.Tick), connected time.Duration) *observer {
	o := &observer{run: r, observe: observe, last: r.base, first: r.cfg.Interval}
	if r.cfg.ClockBeforeConnect {
		o.first -= connected % r.cfg.Interval
	}
	for i := range r.cfg.groups() {
		o.totals = append(o.totals, result.NewStats(r.cfg.groups()[i].Rate > 0))
	}
	return o
}

// watch ticks until the run is over; it reports whether ctx ended it.
func (o *observer) watch(ctx context.Context, done <-chan struct{}) (interrupted bool) {
	r := o.run
	ticker := time.NewTicker(o.first)
	defer ticker.Stop()
	cancelled, kill := ctx.Done(), r.cfg.Kill
	end := &ending{run: r}
	var warm <-chan time.Time
	if r.measureFrom > 0 {
		timer := time.NewTimer(time.Until(r.base.Add(time.Duration(r.measureFrom))))
		defer timer.Stop()
		warm = timer.C
	}
	var checks <-chan time.Time
	if r.cfg.Grace > 0 {
		check := time.NewTicker(endingCheck)
		defer check.Stop()
		checks = check.C
	}
	for {
		select {
		case <-done:
			r.client.end(r.client.read())
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
		case <-warm:
			r.client.begin()
		case <-checks:
			end.check()
		case <-ticker.C:
			if o.first != r.cfg.Interval {
				o.first = r.cfg.Interval
				ticker.Reset(o.first)
			}
			o.tick(false)
		}
	}
}

// tick collects an interval from all loops. The last one is shorter, and is
// dropped from the list where next to nothing lies in it.
func (o *observer) tick(last bool) {
	r := o.run
	parts := make([]*result.Stats, len(r.cfg.groups()))
	for i := range parts {
		parts[i] = result.NewStats(r.cfg.groups()[i].Rate > 0)
	}
	for _, l := range r.loops {
		collect := func() {
			for i, g := range l.groups {
				parts[i].Merge(g.stats)
				g.stats.Reset()
			}
		}
		if last {
			collect() // the loops have ended
			continue
		}
		l.do(collect)
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

func (o *observer) makeTick(parts []*result.Stats, at, length time.Duration) result.Tick {
	r := o.run
	s := parts[0]
	h := result.NewHistogram(result.CoarseDigits)
	h.Merge(s.LatencyHist)
	l := s.LatencyHist.Latency()
	seconds := length.Seconds()
	tick := result.Tick{
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
	if r.cfg.Backlog >= 0 && countsOrders(r.programs[0]) {
		tick.Depth = r.cfg.Backlog + in - acked
	}
	o.lastIn = in
	return tick
}

// end is the moment, in nanoseconds since GO, up to which the rates of a group
// are computed: of a drained queue the last acknowledged order, else the end of
// the group's last client, as in pgbench.
func (r *run) end(group int) int64 {
	var end int64
	for _, l := range r.loops {
		if group == 0 && r.drained.Load() {
			end = max(end, l.lastAck)
		} else {
			end = max(end, l.groups[group].end)
		}
	}
	if end == 0 {
		end = int64(time.Since(r.base))
	}
	return end
}
