package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/result"
	"qbench/internal/stats"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// Feed is the producers that put orders into the queue while the clients take
// them out. A run with a feed does not end when the queue is empty.
type Feed struct {
	// Clients is the number of producers, each with a connection of its own.
	Clients int
	// Batch is the number of orders that a producer puts in per transaction.
	Batch int
	// Rate is the orders per second of all producers, at the moments of a
	// Poisson process; 0 is as many as possible.
	Rate float64
	// Poll is how long a client that found no order waits before it looks again.
	Poll time.Duration
	// Notify lets producers end that wait with a notification.
	Notify bool
}

// check reports why the feed cannot be used for the spec.
func (f *Feed) check(s *Spec) error {
	switch {
	case f.Clients < 1 || f.Batch < 1:
		return fmt.Errorf("%d producers with %d orders per transaction cannot run: use 1 or more of both", f.Clients, f.Batch)
	case !s.Mix.CountsOrders():
		return fmt.Errorf("%s counts no orders, so that producers beside it would prove nothing: mark the statement with \"-- qbench: orders\", or leave out --producers", s.Mix.Name)
	case s.Load.Duration == 0 && s.Load.Transactions == 0:
		return errors.New("a queue with producers does not drain, so that only -T or -t can end the run: give one of them")
	case f.Notify && s.Pool > 0:
		return errors.New("--notify needs a connection that listens for each client, and those of --pool belong to none: leave out one of the two")
	case f.Notify && s.Load.Connect:
		return errors.New("--notify needs a connection that stays, and -C makes a new one for each transaction: leave out one of the two")
	}
	return nil
}

// script is the producers' script; its variables join those of the mix.
func (f *Feed) script(m *Mix) (*scenarios.Scenario, error) {
	return scenarios.Producer(m.Workload(), m.Symbols)
}

// variables are the start values of the producers' variables.
func (f *Feed) variables(producer *scenarios.Scenario, made *schema.Made) map[string]string {
	given := map[string]string{"enqueue_batch": strconv.Itoa(f.Batch), "order_seed": strconv.FormatUint(made.Seed, 10)}
	if f.Notify {
		given["notify"] = "1"
	}
	for name, value := range made.ProducerVariables() {
		given[name] = value
	}
	return producer.Variables(0, 0, given)
}

// groups puts the clients that take orders, and the producers, into the load.
func (s *Spec) groups(cfg *runner.Config, producer *scenarios.Scenario) {
	cfg.Consumers = runner.Group{Clients: s.Clients, Rate: s.Rate, Pool: s.Pool, Scripts: s.Mix.scripts()}
	if s.Feed == nil {
		return
	}
	f := s.Feed
	cfg.Consumers.Idle = f.Poll
	if f.Notify {
		cfg.Consumers.Listen = scenarios.Notifications
	}
	cfg.Producers = &runner.Group{Clients: f.Clients, Rate: f.Rate / float64(f.Batch), Scripts: []runner.Script{runnable(producer, 1)}}
}

// depths bounds the number of depths that the trend is judged by: enough for
// its autocorrelation to be estimated, and no more than are worth storing.
const depths = 60

// interval is the time between two depths: a second where the run is long.
func (s *Spec) interval() time.Duration {
	if s.Feed == nil || s.ShowProgress || s.Load.Duration == 0 {
		return s.Load.Interval
	}
	return min(time.Second, max(50*time.Millisecond, s.Load.Duration/depths))
}

// steady reads from the tables and the intervals how the run with a feed went.
func (r *run) steady(ctx context.Context, conn *pgx.Conn, res *result.Run) error {
	// Ages are those at the end of the load, by the server's clock: neither the
	// wait for a server that restarts nor the audit makes orders older.
	begin := r.started.Add(r.offset)
	end := begin.Add(time.Duration(res.DurationS * float64(time.Second)))
	times, err := schema.MeasureTimes(ctx, conn, r.made, begin, end)
	if err != nil {
		return err
	}
	res.Steady = &result.Steady{
		TimedOrders: times.Orders, TimedWaiting: times.Untaken, TimedUnfinished: times.Undone,
		QueueTime: times.Queue, QueueTimeAtMost: times.QueueMost, EndToEnd: times.EndToEnd, EndToEndAtMost: times.EndToEndMost,
		Waiting: times.Waiting, Depth: depthOf(res, r.depth, times.Depth, r.spec.interval()),
	}
	if times.OldestCame != nil {
		clients := begin.Add(-r.spec.Load.Warmup)
		oldest := *times.OldestCame
		if oldest.Before(clients) {
			oldest = clients
		}
		res.OldestMS = float64(max(0, end.Sub(oldest))) / 1e6
	}
	return nil
}

// depthOf judges the depth of the queue by the intervals after the warm-up.
func depthOf(res *result.Run, start, end int64, interval time.Duration) result.Depth {
	d := result.Depth{Start: start, End: end}
	var series []float64
	for _, t := range res.Intervals {
		switch {
		case t.Depth < 0:
			continue
		case t.Warmup:
			d.Start = t.Depth
			continue
		// The last one is cut short by the end of the run.
		case t.LengthS > interval.Seconds()/2:
			series = append(series, float64(t.Depth))
		}
		d.Max = max(d.Max, t.Depth)
	}
	d.Max = max(d.Max, d.Start, d.End)
	rate := 0.0
	if res.Producers != nil {
		rate = res.Producers.OrdersPerS
	}
	trend := stats.DepthTrend(series, interval.Seconds(), rate)
	d.Trend, d.Reason, d.Growing = string(trend.Trend), trend.Reason, trend.Trend == stats.Growing
	if s := trend.Slope; s.Value == s.Value { // not NaN: there were enough
		d.SlopePerS = &s
	}
	return d
}
