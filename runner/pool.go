package runner

import (
	"fmt"
	"net"
	"time"
)

// pool is a loop's share of the connections that a group's clients borrow
// for one transaction each.
type pool struct {
	size    int
	idle    []*conn
	waiting []*client // first come, first served
}

// acquire gives c a connection, now (true) or later.
func (l *eventLoop) acquire(c *client) bool {
	c.waited = true
	if p := c.group.pool; p != nil {
		if n := len(p.idle); n > 0 {
			c.adopt(p.idle[n-1])
			p.idle = p.idle[:n-1]
			return true
		}
		if p.size == 0 {
			c.abort(fmt.Sprintf("client %d aborted: all pooled connections were lost", c.id))
			l.ready = append(l.ready, c)
			return false
		}
		p.waiting = append(p.waiting, c)
		return false
	}
	l.reconnect(c)
	return false
}

func (c *client) adopt(cn *conn) {
	c.conn = cn
	cn.client = c
}

// release returns c's connection to the pool, or passes it on.
func (l *eventLoop) release(c *client) {
	p, cn := c.group.pool, c.conn
	c.conn, cn.client = nil, nil
	for len(p.waiting) > 0 {
		next := p.waiting[0]
		p.waiting = p.waiting[:copy(p.waiting, p.waiting[1:])]
		if next.state != stWaitConn {
			continue // finished while it waited
		}
		if l.timeUp() {
			next.state = stFinished
			l.ready = append(l.ready, next)
			continue
		}
		next.adopt(cn)
		next.state = stStartTx
		l.ready = append(l.ready, next)
		return
	}
	p.idle = append(p.idle, cn)
}

// lostPooled drops a connection that broke while nobody used it.
func (l *eventLoop) lostPooled(cn *conn) {
	cn.sock.Close()
	for _, g := range l.groups {
		if g.pool == nil {
			continue
		}
		for i, idle := range g.pool.idle {
			if idle == cn {
				g.pool.idle = append(g.pool.idle[:i], g.pool.idle[i+1:]...)
				l.shrink(g)
				return
			}
		}
	}
}

// shrink notes that a pooled connection is gone; without any left, those who
// wait would wait for ever.
func (l *eventLoop) shrink(g *group) {
	g.pool.size--
	if g.pool.size > 0 {
		return
	}
	for _, c := range g.pool.waiting {
		if c.state == stWaitConn {
			c.abort(fmt.Sprintf("client %d aborted: all pooled connections were lost", c.id))
			l.ready = append(l.ready, c)
		}
	}
	g.pool.waiting = nil
}

func (l *eventLoop) closePools() {
	for _, g := range l.groups {
		if g.pool != nil {
			for _, cn := range g.pool.idle {
				cn.terminate()
			}
			g.pool.idle = nil
		}
	}
}

// reconnect establishes a connection for c's transaction (-C) while the
// loop goes on with its other clients.
func (l *eventLoop) reconnect(c *client) {
	r := l.run
	start := time.Now()
	r.dials.Go(func() {
		cn, nc, err := r.dial(r.ctx)
		took := time.Since(start)
		if !l.post(func() { l.connected(c, cn, nc, err, took) }) && err == nil {
			nc.Close()
		}
	})
}

func (l *eventLoop) connected(c *client, cn *conn, nc net.Conn, err error, took time.Duration) {
	if c.state != stWaitConn || l.run.quit.Load() { // its client has ended meanwhile
		if err == nil {
			nc.Close()
		}
		return
	}
	if err == nil {
		err = l.attach(cn, nc)
	}
	l.readClock()
	if err != nil {
		l.run.message("error", err.Error())
		c.abort(fmt.Sprintf("client %d aborted while establishing connection", c.id))
		c.advance()
		return
	}
	l.connecting += took
	c.adopt(cn)
	c.state = stStartTx
	c.advance()
}

func (l *eventLoop) disconnect(c *client) {
	c.conn.terminate()
	c.conn.client = nil
	c.conn = nil
}
