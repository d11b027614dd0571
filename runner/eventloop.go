package runner

import (
	"sync/atomic"
	"time"

	"qbench/internal/result"
	"qbench/runner/loop"
	"qbench/runner/script"
	"qbench/runner/usage"
)

// eventLoop is one event loop. It owns its clients, their connections and all
// statistics about them; other goroutines reach it through post only.
type eventLoop struct {
	run     *run
	poll    poller
	core    int // that it runs on; -1 is any
	box     inbox
	clients []*client
	groups  []*group
	live    int           // clients not yet finished
	ended   chan struct{} // closed when serve returns

	now        int64 // nanoseconds since GO, as of the last event
	timers     loop.Timers
	ready      []*client // to be advanced before the next wait
	scratch    []byte
	statements [][]statementStats // by script and command
	done       int64              // transactions
	lastAck    int64              // of a consumer's order
	quietAt    int64              // acknowledged orders + 1 when all consumers found nothing, see quietFor
	quietSince int64              // since when
	quietUse   usage.Sample       // what had been used by then
	stopSeen   bool
	connecting time.Duration // under -C, summed over transactions

	// Read by other loops when one of them suspects that the queue is
	// drained; written by this one alone.
	acked    atomic.Int64
	enqueued atomic.Int64
	inDoubt  atomic.Bool  // some consumers' orders are
	emptyAt  atomic.Int64 // see allFoundNothing
	idle     atomic.Bool  // no consumer of this loop is left
	finished atomic.Int64 // clients
	_        [64]byte     // keeps the counters off a neighbour's cache line
}

// thread is what pgbench calls a thread: a share of the clients with its own
// schedule, its own choice of scripts and its own log. Several threads ride on
// one event loop where more loops would only wake each other up.
type thread struct {
	index      int
	chooseRand script.Rand
	sampleRand script.Rand
	schedules  []schedule // by group
}

// schedule is a thread's Poisson process of starts for one group.
type schedule struct {
	delay float64 // mean time between starts, microseconds
	last  int64   // last scheduled start, nanoseconds since GO
	rand  script.Rand
}

// next draws the next start.
func (s *schedule) next() int64 {
	s.last += s.rand.Poisson(s.delay) * int64(time.Microsecond)
	return s.last
}

// group is what a loop keeps about its share of a Group.
type group struct {
	*Group
	index    int
	programs []*program
	weights  int64
	rate     float64
	idle     int64 // nanoseconds
	pool     *pool

	stats        *result.Stats // since the last tick
	scripts      []*result.Stats
	afterDrain   int64
	warmupOrders int64
	doubt        doubt
	end          int64 // when the last client of the group finished
}

// statementStats is what is kept per command; sums in nanoseconds.
type statementStats struct {
	count, failures, retries int64
	sum                      float64
}

func (s *statementStats) add(ns int64) {
	s.count++
	s.sum += float64(ns)
}

func (l *eventLoop) readClock() { l.now = int64(time.Since(l.run.base)) }

// timeUp says that no further transaction may start.
func (l *eventLoop) timeUp() bool {
	r := l.run
	return r.stop.Load() || r.deadline > 0 && l.now >= r.deadline
}

// post runs fn on the loop; false where the loop has ended, and fn never runs.
func (l *eventLoop) post(fn func()) bool {
	if !l.box.put(fn) {
		return false
	}
	l.poll.Wake()
	return true
}

// serve drives the clients until all are finished.
func (l *eventLoop) serve() {
	defer close(l.ended)
	l.settle()
	l.run.steady.Done()
	<-l.run.gun
	l.readClock()
	for _, c := range l.clients {
		c.advance()
	}
	for l.live > 0 && !l.run.quit.Load() {
		if err := l.poll.Wait(l.timeout()); err != nil {
			l.broken(err)
			break
		}
		l.box.run()
		l.fireTimers()
		for n := len(l.ready); n > 0 && len(l.ready) > 0; n-- {
			c := l.ready[0]
			l.ready = l.ready[:copy(l.ready, l.ready[1:])]
			c.advance()
		}
		if !l.stopSeen && l.run.stop.Load() {
			l.stopSeen = true
			l.releaseWaiting()
		}
	}
	l.closeAll()
}

// closeAll closes what a run that was cut off leaves open; after an orderly
// end there is nothing.
func (l *eventLoop) closeAll() {
	l.box.close()
	l.readClock()
	for _, c := range l.clients {
		reason := ""
		if l.run.overdue.Load() {
			reason = "it did not finish in time: " + c.waitingFor(l.now)
		}
		c.cutOff(reason)
	}
	l.closePools()
}

// broken ends the clients of a loop that cannot wait for their sockets.
func (l *eventLoop) broken(err error) {
	for _, c := range l.clients {
		c.cutOff(err.Error())
	}
}

func (l *eventLoop) timeout() time.Duration {
	switch {
	case len(l.ready) > 0 || l.run.stop.Load() && !l.stopSeen:
		return 0
	case len(l.timers) == 0:
		return -1
	}
	l.readClock()
	return time.Duration(max(0, l.timers[0].At-l.now))
}

// deliver takes what came from a connection.
func (l *eventLoop) deliver(cn *conn, data []byte, err error) {
	l.readClock()
	cl := cn.client
	if cl != nil {
		cl.heard = l.now
	}
	if len(data) > 0 {
		if rerr := cn.in.Feed(data, cn.frame); rerr != nil {
			err = rerr
		}
	}
	if cl == nil {
		if err != nil {
			l.lostPooled(cn)
		}
		return
	}
	if err != nil {
		cl.lostConnection(err)
		cl.runnable = true
	}
	if cl.runnable {
		cl.runnable = false
		cl.advance()
	}
}

func (l *eventLoop) fireTimers() {
	if len(l.timers) == 0 {
		return
	}
	l.readClock()
	for m := l.timers.Next(l.now); m != nil; m = l.timers.Next(l.now) {
		m.Fire()
	}
}

// wake takes a client on that has slept long enough.
func (c *client) wake() {
	switch c.state {
	case stSleep:
		c.state = stEndCommand
	case stIdle:
		c.state = stChooseScript
	}
	c.advance()
}

// releaseWaiting ends those who wait for something between transactions.
func (l *eventLoop) releaseWaiting() {
	l.readClock()
	for _, c := range l.clients {
		switch c.state {
		case stThrottle, stIdle:
			l.unsleep(c)
			c.state = stFinished
			c.advance()
		case stWaitConn:
			if c.group.pool != nil {
				c.state = stFinished
				c.advance()
			}
		}
	}
}

func (l *eventLoop) sleep(c *client, until int64) {
	if end := l.run.deadline; end > 0 && c.state == stIdle {
		until = min(until, end)
	}
	c.timer.At = until
	l.timers.Add(&c.timer)
}

func (l *eventLoop) unsleep(c *client) {
	l.timers.Remove(&c.timer)
}

func (l *eventLoop) yield(c *client) { l.ready = append(l.ready, c) }

// chooseScript draws by weight, as pgbench does.
func (t *thread) chooseScript(g *group) *program {
	if len(g.programs) == 1 {
		return g.programs[0]
	}
	w := t.chooseRand.Int64Range(0, g.weights-1)
	for _, p := range g.programs {
		if w -= int64(p.Weight); w < 0 {
			return p
		}
	}
	return g.programs[len(g.programs)-1]
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

func (l *eventLoop) verbose(c *client, again bool) {
	if l.run.cfg.VerboseErrors {
		l.run.message("info", l.run.retryMessage(c, l.now, again))
	}
}
