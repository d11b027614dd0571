package runner

import (
	"fmt"
	"net"
	"time"
)

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
		l.box.Run()
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

// advance takes the client on until it waits for something or is done.
func (c *client) advance() {
	l := c.loop
	for {
		switch c.state {
		case stChooseScript:
			c.prog = c.thread.choose(c.group.programs, c.group.weights)
			c.tries, c.deadlocks, c.status = 1, 0, noError
			c.waited, c.cause = false, ""
			if l.run.cfg.Debug {
				l.run.debug("client %d executing script \"%s\"", c.id, c.prog.Name)
			}
			switch {
			case l.timeUp():
				c.state = stFinished
			case c.group.rate > 0:
				if !c.throttle() {
					return
				}
			default:
				c.state = stStartTx
			}
		case stThrottle:
			// The timer fired.
			if c.state = stStartTx; l.timeUp() {
				c.state = stFinished
			}
		case stStartTx:
			if c.conn == nil {
				if l.readClock(); c.group.rate == 0 {
					// The wait for a pooled connection is part of the latency.
					c.scheduled = l.now
				}
				c.heard = l.now
				c.state = stWaitConn
				if !l.acquire(c) {
					return
				}
				c.state = stStartTx
			}
			l.readClock()
			c.saved = c.rand
			c.begin = l.now
			if c.group.rate == 0 && c.group.pool == nil {
				c.scheduled = l.now
			}
			c.pc, c.committed = 0, 0
			c.tx.Forget()
			c.state = stStartCommand
		case stStartCommand:
			c.startCommand()
		case stExecute:
			c.execute()
		case stSleep, stShell:
			return
		case stEndCommand:
			c.endCommand()
		case stWaitPrepare, stWaitResult, stWaitRollback:
			c.waited = true
			if l.run.cfg.Debug {
				l.run.debug("client %d receiving", c.id)
			}
			c.flushed = len(c.syncs)
			if err := c.conn.flush(); err != nil {
				c.lostConnection(err)
				continue
			}
			return
		case stError:
			c.recoverError()
		case stEndTx:
			if !c.endTransaction() {
				return
			}
		case stIdle, stWaitConn:
			return
		case stAborted, stFinished:
			l.finish(c)
			return
		}
	}
}

// acquire gives c a connection, now (true) or later.
func (l *eventLoop) acquire(c *client) bool {
	c.waited = true
	if c.group.pool != nil {
		return l.borrow(c)
	}
	l.reconnect(c)
	return false
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

// attach puts a connection into the event loop, or closes it.
func (l *eventLoop) attach(cn *conn, nc net.Conn) error {
	sock, err := l.poll.Attach(nc, func(data []byte, err error) { l.deliver(cn, data, err) })
	if err != nil {
		nc.Close()
		return err
	}
	cn.sock = sock
	return nil
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

// broken ends the clients of a loop that cannot wait for their sockets.
func (l *eventLoop) broken(err error) {
	for _, c := range l.clients {
		c.cutOff(err.Error())
	}
}

// closeAll closes what a run that was cut off leaves open; after an orderly
// end there is nothing.
func (l *eventLoop) closeAll() {
	l.box.Close()
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
