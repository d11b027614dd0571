package runner

import "fmt"

// borrow gives c a connection of its group's pool, now (true) or when another
// client returns one.
func (l *eventLoop) borrow(c *client) bool {
	p := c.group.pool
	if n := len(p.idle); n > 0 {
		c.adopt(p.idle[n-1])
		p.idle = p.idle[:n-1]
		return true
	}
	if p.size > 0 {
		p.waiting = append(p.waiting, c)
		return false
	}
	c.abort(fmt.Sprintf("client %d aborted: all pooled connections were lost", c.id))
	l.yield(c)
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
			l.yield(next)
			continue
		}
		next.adopt(cn)
		next.state = stStartTx
		l.yield(next)
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
			l.yield(c)
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

func (l *eventLoop) disconnect(c *client) {
	c.conn.terminate()
	c.conn.client = nil
	c.conn = nil
}
