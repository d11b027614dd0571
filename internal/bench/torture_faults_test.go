//go:build linux

package bench_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	"qbench/internal/bench"
	"qbench/internal/relaytest"
)

// fault is something that goes wrong in the middle of a load.
type fault struct {
	name    string
	crash   bool // the server starts again from its WAL
	loses   bool // orders can be lost or doubled: the audit must say so
	outlast bool // the server stays away for longer than the run waits: NOT AUDITED is right
	hangs   bool // a backend cannot be ended: NOT AUDITED is right, and so is an audit
	errors  bool // clients meet errors in SQL, which abort them
	blocks  bool // a transaction stays open, and other clients may wait for its locks
	setup   *bench.Setup
	options string           // of the clients' connections
	shape   func(*plan)      // changes the plan to what the fault needs
	inject  func(*scene) hit // returns when the fault is done, or the load has ended
}

// hit is what a fault did: no evidence means that it did not happen.
type hit struct {
	evidence string
	broken   int // connections that it broke
	err      error
}

// scene is where a fault works.
type scene struct {
	*plan
	ctx    context.Context // ends with the load
	server *victim
	relay  *relaytest.Relay
	first  int // sessions above this number are the load's
	app    string
	schema string
	// back is closed when the run has returned.
	back <-chan struct{}
}

// faults are all of them. Their order is part of the seeds' meaning.
var faults = []*fault{
	{name: "byte cut to server", inject: func(s *scene) hit { return s.cutAtByte(relaytest.ToServer) }},
	{name: "byte cut to client", inject: func(s *scene) hit { return s.cutAtByte(relaytest.ToClient) }},
	{name: "cut in COMMIT's request", inject: (*scene).cutInRequest},
	{name: "cut before COMMIT's tag", inject: func(s *scene) hit {
		return s.cutAt(relaytest.CommitTag, func(m *relaytest.Message) int { return s.random.IntN(len(m.Bytes)) })
	}},
	{name: "cut between COMMIT's tag and ReadyForQuery", inject: func(s *scene) hit {
		return s.cutAt(relaytest.CommitTag, func(m *relaytest.Message) int { return len(m.Bytes) })
	}},
	{name: "cut in ReadyForQuery", inject: func(s *scene) hit {
		return s.cutAt(relaytest.CommitReady, func(m *relaytest.Message) int { return s.random.IntN(len(m.Bytes) + 1) })
	}},
	{name: "black hole at COMMIT's request", blocks: true, shape: short, inject: func(s *scene) hit {
		whole := s.random.IntN(2)
		return s.onCommit(relaytest.CommitRequest, relaytest.BlackHole, 1, func(m *relaytest.Message) int { return whole * len(m.Bytes) })
	}},
	{name: "black hole after COMMIT", blocks: true, shape: short, inject: func(s *scene) hit {
		step := pick(s.random, []relaytest.Step{relaytest.CommitTag, relaytest.CommitReady})
		whole := s.random.IntN(2)
		return s.onCommit(step, relaytest.BlackHole, 1, func(m *relaytest.Message) int { return whole * len(m.Bytes) })
	}},
	{name: "half-close to client", inject: func(s *scene) hit { return s.breakOne(relaytest.HalfCloseClient) }},
	{name: "half-close to server", inject: func(s *scene) hit { return s.breakOne(relaytest.HalfCloseServer) }},
	{name: "stall", inject: (*scene).stall},
	{name: "terminate one", inject: func(s *scene) hit { return s.terminate(false) }},
	{name: "terminate all", inject: func(s *scene) hit { return s.terminate(true) }},
	{name: "cancel", errors: true, inject: (*scene).cancel},
	{name: "freeze a backend", hangs: true, blocks: true, shape: short, inject: (*scene).freeze},
	{name: "kill a backend", crash: true, inject: (*scene).killBackend},
	{name: "restart fast", inject: func(s *scene) hit { return s.restart(func() error { return s.server.stop(syscall.SIGINT) }) }},
	{name: "restart immediate", crash: true, inject: func(s *scene) hit { return s.restart(func() error { return s.server.stop(syscall.SIGQUIT) }) }},
	{name: "restart by SIGKILL", crash: true, inject: func(s *scene) hit { return s.restart(s.server.kill) }},
	{name: "restart in the audit", crash: true, inject: (*scene).restartInAudit},
	{name: "byte cut in the audit", inject: (*scene).cutInAudit},
	{name: "terminate the run lock", inject: (*scene).terminateLock},
	{name: "outage", outlast: true, shape: short, inject: (*scene).outage},
	{
		name: "immediate restart without synchronous_commit", crash: true, loses: true, options: "-c synchronous_commit=off",
		inject: func(s *scene) hit { return s.restart(func() error { return s.server.stop(syscall.SIGQUIT) }) },
	},
	{name: "trigger drops inserts", loses: true, errors: true, setup: dropper, inject: func(s *scene) hit {
		<-s.ctx.Done() // that it dropped some shows in the tables
		return hit{evidence: "the trigger was there"}
	}},
	{name: "delete by another session", loses: true, inject: func(s *scene) hit {
		return s.meddle(`delete from %[1]s.t_order_u where ctid = any (array(select ctid from %[1]s.t_order_u limit 3))`)
	}},
	{name: "delete from the queue by another session", loses: true, inject: func(s *scene) hit {
		return s.meddle(`delete from %[1]s.t_order_q where id in (select id from %[1]s.t_order_q order by id desc limit 3 for update skip locked)`)
	}},
	{name: "order put back by another session", loses: true, errors: true, inject: func(s *scene) hit {
		return s.meddle(`insert into %[1]s.t_order_q (order_id, cts) select order_id, cts from %[1]s.t_order_u limit 2`)
	}},
}

// short has the run wait for the server, or for a backend to end, for a second.
func short(p *plan) { p.recovery = time.Second }

// dropper lets some orders vanish on their way into the result table.
var dropper = &bench.Setup{Name: "dropper.sql", SQL: `
	create function drop_some() returns trigger language plpgsql as $$
	begin
	  return case when new.id % 50 = 7 then null else new end;
	end $$;
	create trigger drop_some before insert on t_order_u for each row execute function drop_some()`}

// load lists the load's connections.
func (s *scene) load() []*relaytest.Session {
	var list []*relaytest.Session
	for _, c := range s.relay.Sessions() {
		if c.Number > s.first && c.PID() != 0 && !c.Broken() {
			list = append(list, c)
		}
	}
	return list
}

// one waits for a connection of the load and picks it; nil when the load ends.
func (s *scene) one() *relaytest.Session {
	for {
		if list := s.load(); len(list) > 0 {
			return pick(s.random, list)
		}
		if !s.pause(time.Millisecond) {
			return nil
		}
	}
}

// pause waits; it is false when the load has ended.
func (s *scene) pause(d time.Duration) bool {
	select {
	case <-s.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// width is how many connections a fault takes: mostly one, sometimes several.
func (s *scene) width() int { return max(1, s.random.IntN(2*s.clients)-s.clients+1) }

func (s *scene) cutEffect() relaytest.Effect {
	return pick(s.random, []relaytest.Effect{relaytest.Reset, relaytest.Finish})
}

// before waits for one of two events and tells whether the first has happened;
// it may be what brought the second about.
func before(first, second <-chan struct{}) bool {
	select {
	case <-first:
		return true
	case <-second:
	}
	select {
	case <-first:
		return true
	default:
		return false
	}
}

// cutAtByte cuts a connection after some bytes, under -C also a new one in its
// handshakes.
func (s *scene) cutAtByte(dir relaytest.Direction) hit {
	effect, n := s.cutEffect(), s.random.IntN(3000)
	fired := make(chan struct{})
	cut := func(c *relaytest.Session) { c.CutAfter(dir, n, effect, sync.OnceFunc(func() { close(fired) })) }
	if s.reconnect && s.random.IntN(2) == 0 {
		var once sync.Once
		s.relay.OnSession(func(c *relaytest.Session) { once.Do(func() { cut(c) }) })
		defer s.relay.OnSession(nil)
	} else if c := s.one(); c != nil {
		cut(c)
	}
	if !before(fired, s.ctx.Done()) {
		return hit{}
	}
	return hit{evidence: fmt.Sprintf("%v after %d bytes %v", effect, n, dir), broken: 1}
}

// cutInAudit cuts a connection that is made after the load.
func (s *scene) cutInAudit() hit {
	<-s.ctx.Done()
	effect, n := s.cutEffect(), s.random.IntN(3000)
	fired := make(chan struct{})
	cut := sync.OnceFunc(func() { close(fired) })
	var once sync.Once
	s.relay.OnSession(func(c *relaytest.Session) { once.Do(func() { c.CutAfter(relaytest.ToClient, n, effect, cut) }) })
	defer s.relay.OnSession(nil)
	if !before(fired, s.back) {
		return hit{}
	}
	return hit{evidence: fmt.Sprintf("%v after %d bytes", effect, n)}
}

// cutInRequest cuts within the messages that ask for the COMMIT: after some of
// their bytes, none and all included.
func (s *scene) cutInRequest() hit {
	step := pick(s.random, []relaytest.Step{relaytest.CommitExecute, relaytest.CommitRequest})
	if s.mode == "simple" {
		step = relaytest.CommitRequest
	}
	return s.cutAt(step, func(m *relaytest.Message) int { return s.random.IntN(len(m.Bytes) + 1) })
}

func (s *scene) cutAt(step relaytest.Step, forward func(*relaytest.Message) int) hit {
	return s.onCommit(step, s.cutEffect(), s.width(), forward)
}

// onCommit breaks up to width connections at the next message of the step, when
// forward bytes of it have passed.
func (s *scene) onCommit(step relaytest.Step, effect relaytest.Effect, width int, forward func(*relaytest.Message) int) hit {
	var mu sync.Mutex
	var bytes []int
	fired := make(chan struct{}, 1)
	s.relay.SetTap(func(m *relaytest.Message) relaytest.Verdict {
		mu.Lock()
		defer mu.Unlock()
		if m.Step != step || m.Session.Number <= s.first || len(bytes) == width || s.ctx.Err() != nil {
			return relaytest.Verdict{}
		}
		n := forward(m)
		bytes = append(bytes, n)
		select {
		case fired <- struct{}{}:
		default:
		}
		return relaytest.Verdict{Forward: n, Effect: effect}
	})
	defer s.relay.SetTap(nil)
	select {
	case <-fired:
		s.pause(100 * time.Millisecond) // for the others, where the fault takes several
	case <-s.ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	if len(bytes) == 0 {
		return hit{}
	}
	return hit{evidence: fmt.Sprintf("%v on %d connections after %v bytes of %v", effect, len(bytes), bytes, step), broken: len(bytes)}
}

func (s *scene) breakOne(e relaytest.Effect) hit {
	c := s.one()
	if c == nil {
		return hit{}
	}
	c.Break(e)
	return hit{evidence: fmt.Sprintf("%v on connection %d", e, c.Number), broken: 1}
}

// stall holds everything for a time, which is longer than the grace or not.
func (s *scene) stall() hit {
	before := s.relay.Held()
	release := s.relay.Stall()
	defer release()
	// Not s.pause: it lasts beyond the load's end.
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.back:
	}
	if held := s.relay.Held() - before; held > 0 {
		return hit{evidence: fmt.Sprintf("%d passages held", held), broken: s.everyone()}
	}
	return hit{}
}
