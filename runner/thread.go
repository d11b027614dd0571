package runner

import (
	"sync/atomic"
	"time"

	"qbench/internal/result"
	"qbench/runner/loop"
	"qbench/runner/script"
)

// thread is one event loop. It owns its clients, their connections and all
// statistics about them; other goroutines reach it through post only.
type thread struct {
	run     *run
	poll    eventLoop
	core    int // that it runs on; -1 is any
	box     inbox
	clients []*client
	groups  []*group
	live    int           // clients not yet finished
	ended   chan struct{} // closed when loop returns

	now        int64 // nanoseconds since GO, as of the last event
	timers     loop.Timers
	ready      []*client // to be advanced before the next wait
	scratch    []byte
	statements [][]statementStats // by script and command
	done       int64              // transactions
	lastAck    int64              // of a consumer's order
	quietAt    int64              // acknowledged orders + 1 when all consumers found nothing, see quietFor
	quietSince int64              // since when
	stopSeen   bool
	connecting time.Duration // under -C, summed over transactions

	// Read by other threads when one of them suspects that the queue is
	// drained; written by this one alone.
	acked    atomic.Int64
	enqueued atomic.Int64
	inDoubt  atomic.Bool  // some consumers' orders are
	emptyAt  atomic.Int64 // see allFoundNothing
	idle     atomic.Bool  // no consumer of this thread is left
	finished atomic.Int64 // clients
	_        [64]byte     // keeps the counters off a neighbour's cache line
}

// lane is what pgbench calls a thread: a share of the clients with its own
// schedule, its own choice of scripts and its own log. Several lanes ride on
// one event loop where more loops would only wake each other up.
type lane struct {
	index      int
	chooseRand script.Rand
	sampleRand script.Rand
	schedules  []schedule // by group
}

// schedule is a lane's Poisson process of starts for one group.
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

// group is what a thread keeps about its share of a Group.
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

func (t *thread) readClock() { t.now = int64(time.Since(t.run.base)) }

// timeUp says that no further transaction may start.
func (t *thread) timeUp() bool {
	r := t.run
	return r.stop.Load() || r.deadline > 0 && t.now >= r.deadline
}

// post runs fn on the thread; false where the thread has ended, and fn never runs.
func (t *thread) post(fn func()) bool {
	if !t.box.put(fn) {
		return false
	}
	t.poll.Wake()
	return true
}

// loop drives the clients until all are finished.
func (t *thread) loop() {
	defer close(t.ended)
	t.settle()
	t.run.steady.Done()
	<-t.run.gun
	t.readClock()
	for _, c := range t.clients {
		c.advance()
	}
	for t.live > 0 && !t.run.quit.Load() {
		if err := t.poll.Wait(t.timeout()); err != nil {
			t.broken(err)
			break
		}
		t.box.run()
		t.fireTimers()
		for n := len(t.ready); n > 0 && len(t.ready) > 0; n-- {
			c := t.ready[0]
			t.ready = t.ready[:copy(t.ready, t.ready[1:])]
			c.advance()
		}
		if !t.stopSeen && t.run.stop.Load() {
			t.stopSeen = true
			t.releaseWaiting()
		}
	}
	t.closeAll()
}

// closeAll closes what a run that was cut off leaves open; after an orderly
// end there is nothing.
func (t *thread) closeAll() {
	t.box.close()
	t.readClock()
	for _, c := range t.clients {
		reason := ""
		if t.run.overdue.Load() {
			reason = "it did not finish in time: " + c.waitingFor(t.now)
		}
		c.cutOff(reason)
	}
	t.closePools()
}

// broken ends the clients of a thread that cannot wait for their sockets.
func (t *thread) broken(err error) {
	for _, c := range t.clients {
		c.cutOff(err.Error())
	}
}

func (t *thread) timeout() time.Duration {
	switch {
	case len(t.ready) > 0 || t.run.stop.Load() && !t.stopSeen:
		return 0
	case len(t.timers) == 0:
		return -1
	}
	t.readClock()
	return time.Duration(max(0, t.timers[0].At-t.now))
}

// deliver takes what came from a connection.
func (t *thread) deliver(cn *conn, data []byte, err error) {
	t.readClock()
	cl := cn.client
	if cl != nil {
		cl.heard = t.now
	}
	if len(data) > 0 {
		if rerr := cn.in.Feed(data, cn.frame); rerr != nil {
			err = rerr
		}
	}
	if cl == nil {
		if err != nil {
			t.lostPooled(cn)
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

func (t *thread) fireTimers() {
	if len(t.timers) == 0 {
		return
	}
	t.readClock()
	for m := t.timers.Next(t.now); m != nil; m = t.timers.Next(t.now) {
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
func (t *thread) releaseWaiting() {
	t.readClock()
	for _, c := range t.clients {
		switch c.state {
		case stThrottle, stIdle:
			t.unsleep(c)
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

func (t *thread) sleep(c *client, until int64) {
	if end := t.run.deadline; end > 0 && c.state == stIdle {
		until = min(until, end)
	}
	c.timer.At = until
	t.timers.Add(&c.timer)
}

func (t *thread) unsleep(c *client) {
	t.timers.Remove(&c.timer)
}

func (t *thread) yield(c *client) { t.ready = append(t.ready, c) }

// chooseScript draws by weight, as pgbench does.
func (l *lane) chooseScript(g *group) *program {
	if len(g.programs) == 1 {
		return g.programs[0]
	}
	w := l.chooseRand.Int64Range(0, g.weights-1)
	for _, p := range g.programs {
		if w -= int64(p.Weight); w < 0 {
			return p
		}
	}
	return g.programs[len(g.programs)-1]
}

// acknowledge publishes orders that the server has committed.
func (t *thread) acknowledge(c *client, orders int64) {
	counter := &t.acked
	if c.group.index > 0 {
		counter = &t.enqueued
	} else {
		t.lastAck = t.now
	}
	// The only writer: a load and a store, cheaper than an atomic addition.
	counter.Store(counter.Load() + orders)
}

// account adds c's finished transaction to the statistics.
func (t *thread) account(c *client, skipped bool) {
	r, g := t.run, c.group
	t.done++
	if started := max(c.begin, c.scheduled); started < r.measureFrom || skipped && c.scheduled < r.measureFrom {
		g.warmupOrders += c.committed
		return
	}
	if c.status == noError && !skipped && c.committed == 0 && c.prog.countsOrders && r.drained.Load() {
		g.afterDrain++
		return
	}
	latency, lag := time.Duration(t.now-c.scheduled), time.Duration(c.begin-c.scheduled)
	c.addTo(g.stats, skipped, latency, lag, r.cfg.LatencyLimit)
	if g.scripts != nil {
		c.addTo(g.scripts[c.prog.index-g.programs[0].index], skipped, latency, lag, r.cfg.LatencyLimit)
	}
	if r.cfg.Log != nil {
		t.log(c, skipped, latency, lag)
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

func (t *thread) log(c *client, skipped bool, latency, lag time.Duration) {
	r := t.run
	if s := r.cfg.SampleRate; s > 0 && c.lane.sampleRand.Float64() > s {
		return
	}
	tx := TxOutcome{
		Client: c.id, Script: c.prog.index, Serial: c.count, Start: r.base.Add(time.Duration(c.scheduled)), End: r.base.Add(time.Duration(t.now)),
		Latency: latency, Lag: lag, Retries: c.tries - 1, Status: c.status.word(r.cfg.FailuresDetailed), Orders: c.committed,
	}
	if skipped {
		tx.Status = "skipped"
	}
	r.cfg.Log.LogTx(c.lane.index, tx)
}

func (t *thread) verbose(c *client, again bool) {
	if t.run.cfg.VerboseErrors {
		t.run.message("info", t.run.retryMessage(c, t.now, again))
	}
}
