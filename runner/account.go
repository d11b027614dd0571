package runner

import (
	"time"

	"qbench/internal/result"
)

// account adds the transaction to the statistics, as pgbench does: skipped and
// failed ones count for -t but have no latency.
func (c *client) account(skipped bool) {
	l := c.loop
	c.count++
	l.account(c, skipped)
}

// account adds c's finished transaction to the statistics.
func (l *eventLoop) account(c *client, skipped bool) {
	r, g := l.run, c.group
	l.done++
	if started := max(c.begin, c.scheduled); started < r.measureFrom || skipped && c.scheduled < r.measureFrom {
		g.warmupOrders += c.committed
		return
	}
	if c.status == noError && !skipped && c.committed == 0 && c.prog.countsOrders && r.drained.Load() {
		g.afterDrain++
		return
	}
	latency, lag := time.Duration(l.now-c.scheduled), time.Duration(c.begin-c.scheduled)
	c.addTo(g.stats, skipped, latency, lag, r.cfg.LatencyLimit)
	if g.scripts != nil {
		c.addTo(g.scripts[c.prog.index-g.programs[0].index], skipped, latency, lag, r.cfg.LatencyLimit)
	}
	if r.cfg.Log != nil {
		l.log(c, skipped, latency, lag)
	}
}

// addTo adds the transaction to statistics.
func (c *client) addTo(s *result.Stats, skipped bool, latency, lag, limit time.Duration) {
	if skipped {
		s.Skipped++
		return
	}
	if c.tries > 1 {
		s.Retried++
		s.Retries += int64(c.tries - 1)
	}
	s.Deadlocks += int64(c.deadlocks)
	s.Orders += c.committed
	switch c.status {
	case noError:
		s.Transactions++
		if c.committed == 0 && c.prog.countsOrders {
			s.Empty++
			s.RecordEmpty(latency)
		} else {
			s.LatencyHist.Record(latency)
		}
		if s.LagHist != nil {
			s.LagHist.Record(lag)
		}
		if limit > 0 && latency > limit {
			s.Late++
		}
	case serializationError:
		s.Failures.Serialization++
	case deadlockError:
		s.Failures.Deadlock++
	default:
		s.Failures.Other++
	}
}

func (l *eventLoop) log(c *client, skipped bool, latency, lag time.Duration) {
	r := l.run
	if s := r.cfg.SampleRate; s > 0 && c.thread.sampleRand.Float64() > s {
		return
	}
	tx := TxOutcome{
		Client: c.id, Script: c.prog.index, Serial: c.count, Start: r.base.Add(time.Duration(c.scheduled)), End: r.base.Add(time.Duration(l.now)),
		Latency: latency, Lag: lag, Retries: c.tries - 1, Status: c.status.word(r.cfg.FailuresDetailed), Orders: c.committed,
	}
	if skipped {
		tx.Status = "skipped"
	}
	r.cfg.Log.LogTx(c.thread.index, tx)
}

// acknowledge publishes orders that the server has committed.
func (l *eventLoop) acknowledge(c *client, orders int64) {
	counter := &l.acked
	if c.group.index > 0 {
		counter = &l.enqueued
	} else {
		l.lastAck = l.now
	}
	// The only writer: a load and a store, cheaper than an atomic addition.
	counter.Store(counter.Load() + orders)
}
