package runner

import (
	"fmt"
	"net"
	"time"
)

// pool is a thread's share of the connections that a group's clients borrow
// for one transaction each.
type pool struct {
	size    int
	idle    []*conn
	waiting []*client // first come, first served
}

// acquire gives c a connection, now (true) or later.
func (t *thread) acquire(c *client) bool {
	c.waited = true
	if p := c.group.pool; p != nil {
		if n := len(p.idle); n > 0 {
			c.adopt(p.idle[n-1])
			p.idle = p.idle[:n-1]
			return true
		}
		if p.size == 0 {
			c.abort(fmt.Sprintf("client %d aborted: all pooled connections were lost", c.id))
			t.ready = append(t.ready, c)
			return false
		}
		p.waiting = append(p.waiting, c)
		return false
	}
	t.reconnect(c)
	return false
}

func (c *client) adopt(cn *conn) {
	c.conn = cn
	cn.client = c
}

// release returns c's connection to the pool, or passes it on.
func (t *thread) release(c *client) {
	p, cn := c.group.pool, c.conn
	c.conn, cn.client = nil, nil
	for len(p.waiting) > 0 {
		next := p.waiting[0]
		p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		if next.state != stWaitConn {
			continue // finished while it waited
		}
		if t.timeUp() {
			next.state = stFinished
			t.ready = append(t.ready, next)
			continue
		}
		next.adopt(cn)
		next.state = stStartTx
		t.ready = append(t.ready, next)
		return
	}
	p.idle = append(p.idle, cn)
}

// lostPooled drops a connection that broke while nobody used it.
func (t *thread) lostPooled(cn *conn) {
	cn.sock.Close()
	for _, g := range t.groups {
		if g.pool == nil {
			continue
		}
		for i, idle := range g.pool.idle {
			if idle == cn {
				g.pool.idle = append(g.pool.idle[:i], g.pool.idle[i+1:]...)
				t.shrink(g)
				return
			}
		}
	}
}

// shrink notes that a pooled connection is gone; without any left, those who
// wait would wait for ever.
func (t *thread) shrink(g *group) {
	g.pool.size--
	if g.pool.size > 0 {
		return
	}
	for _, c := range g.pool.waiting {
		if c.state == stWaitConn {
			c.abort(fmt.Sprintf("client %d aborted: all pooled connections were lost", c.id))
			t.ready = append(t.ready, c)
		}
	}
	g.pool.waiting = nil
}

func (t *thread) closePools() {
	for _, g := range t.groups {
		if g.pool != nil {
			for _, cn := range g.pool.idle {
				cn.terminate()
			}
			g.pool.idle = nil
		}
	}
}

// reconnect establishes a connection for c's transaction (-C) while the
// thread goes on with its other clients.
func (t *thread) reconnect(c *client) {
	r := t.run
	start := time.Now()
	r.dials.Go(func() {
		cn, nc, err := r.dial(r.ctx)
		took := time.Since(start)
		if !t.post(func() { t.connected(c, cn, nc, err, took) }) && err == nil {
			nc.Close()
		}
	})
}

func (t *thread) connected(c *client, cn *conn, nc net.Conn, err error, took time.Duration) {
	if c.state != stWaitConn || t.run.quit.Load() { // its client has ended meanwhile
		if err == nil {
			nc.Close()
		}
		return
	}
	if err == nil {
		err = t.attach(cn, nc)
	}
	t.readClock()
	if err != nil {
		t.run.message("error", err.Error())
		c.abort(fmt.Sprintf("client %d aborted while establishing connection", c.id))
		c.advance()
		return
	}
	t.connecting += took
	c.adopt(cn)
	c.state = stStartTx
	c.advance()
}

func (t *thread) disconnect(c *client) {
	c.conn.terminate()
	c.conn.client = nil
	c.conn = nil
}
