package runner

import (
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// What place has dealt out drifts apart: whenever a core has nothing to do for
// a moment, the kernel moves a server process to it and leaves it there. So the
// event loops look now and then where the server processes of their connections
// are, and exchange clients in pairs, each with its connection, whenever one of
// each is at home on the other's core. A connection stays its client's for
// the whole run, since a session has state.

// transactionsPerLook bounds what watching costs: a look takes some 2 us.
const transactionsPerLook = 32

// exchange is where event loops find partners for an exchange.
type exchange struct {
	mu     sync.Mutex
	offers map[route][]*client
	where  func(pid uint32) int // coreOf, but for tests
}

// route is what an offered client wants.
type route struct{ from, to *thread }

// watch is one loop's part in it.
type watch struct {
	on       bool
	seen     int64 // transactions of the loop that were paid for with looks
	at       int   // index in thread.clients
	incoming int   // clients handed over and not yet taken in; under exchange.mu
	left     bool  // takes in no more; under exchange.mu
}

// startWatching decides whether clients may change loops: not where a lane's
// schedule, choice of scripts or log would have to serve two loops at once.
func (t *thread) startWatching() {
	if t.core < 0 || t.run.cfg.Log != nil {
		return
	}
	for _, g := range t.groups {
		if len(g.programs) > 1 || g.rate > 0 || g.pool != nil {
			return
		}
	}
	t.watch.on = true
}

func (e *exchange) coreOf(pid uint32) int {
	if e.where != nil {
		return e.where(pid)
	}
	return coreOf(pid)
}

// look examines the next clients, as many as were earned.
func (t *thread) look() {
	w := &t.watch
	if !w.on || t.done-w.seen < transactionsPerLook || t.timeUp() {
		return
	}
	looks := min((t.done-w.seen)/transactionsPerLook, int64(len(t.clients)))
	w.seen = t.done
	for range looks {
		if w.at >= len(t.clients) {
			w.at = 0
		}
		c := t.clients[w.at]
		w.at++
		if c.conn == nil || c.moveTo != nil {
			continue
		}
		if _, ok := c.conn.sock.(*fdSocket); !ok { // TLS
			continue
		}
		home := t.run.loopOn(t.run.exchange.coreOf(c.conn.pid))
		if home == nil || home == c.offered {
			continue
		}
		t.run.exchange.withdraw(c)
		if home != t {
			t.run.exchange.offer(c, home)
		}
	}
}

func (r *run) loopOn(core int) *thread {
	for _, t := range r.threads {
		if t.core == core {
			return t
		}
	}
	return nil
}

// withdraw takes back what was offered for c, which its own loop calls.
func (e *exchange) withdraw(c *client) {
	if c.offered == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := route{c.thread, c.offered}
	c.offered = nil
	if i := slices.Index(e.offers[key], c); i >= 0 {
		e.offers[key] = slices.Delete(e.offers[key], i, i+1)
	}
}

// offer finds c a partner that wants the opposite way, or lets it wait for one.
func (e *exchange) offer(c *client, to *thread) {
	from := c.thread
	e.mu.Lock()
	defer e.mu.Unlock()
	partners := e.offers[route{to, from}]
	if len(partners) == 0 {
		if e.offers == nil {
			e.offers = map[route][]*client{}
		}
		c.offered = to
		e.offers[route{from, to}] = append(e.offers[route{from, to}], c)
		return
	}
	partner := partners[0]
	e.offers[route{to, from}] = slices.Delete(partners, 0, 1)
	c.moveTo = to
	to.post(func() {
		partner.offered = nil
		partner.moveTo = from
	})
}

// handOver moves c, which is between two transactions, to the loop that it is
// to go to; false where that one has ended.
// All that it sent was answered, so that its socket has nothing left to write.
func (t *thread) handOver(c *client) bool {
	to := c.moveTo
	c.moveTo = nil
	if !t.run.exchange.comes(to) {
		return false
	}
	t.poll.(*epoller).forget(c.conn)
	t.clients = slices.DeleteFunc(t.clients, func(x *client) bool { return x == c })
	t.live--
	to.post(func() { to.takeIn(c) })
	return true
}

// comes announces a client; false where the loop has ended.
func (e *exchange) comes(to *thread) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if to.watch.left {
		return false
	}
	to.watch.incoming++
	return true
}

// takeIn makes a client that was handed over one of t's.
func (t *thread) takeIn(c *client) {
	e := &t.run.exchange
	e.mu.Lock()
	t.watch.incoming--
	e.mu.Unlock()
	c.thread, c.group = t, t.groups[c.group.index]
	t.clients = append(t.clients, c)
	t.live++
	if err := t.poll.(*epoller).watchSocket(c.conn); err != nil {
		c.lostConnection(fmt.Errorf("change the event loop: %w", err))
	}
	t.readClock()
	c.advance()
}

// leave says that t takes in no more clients; false while some are under way.
func (t *thread) leave() bool {
	e := &t.run.exchange
	e.mu.Lock()
	defer e.mu.Unlock()
	t.watch.left = t.watch.incoming == 0
	return t.watch.left
}

// forget takes a connection's socket out of the set.
func (p *epoller) forget(c *conn) {
	fd := c.sock.(*fdSocket).fd
	p.conns[fd] = nil
	_ = unix.EpollCtl(p.epfd, unix.EPOLL_CTL_DEL, fd, nil) // it is in there
}
