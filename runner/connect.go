package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// connectAtOnce bounds how many connections are being made at a time. The
// server forks a process for each one after the other, so that more gain
// nothing, while each costs memory for its handshake.
const connectAtOnce = 16

// dial makes one connection, ready for the load.
func (r *run) dial(ctx context.Context) (*conn, net.Conn, error) {
	pc, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return r.takeOver(ctx, pc)
}

// dialListening makes a connection that hears the group's notifications.
func (r *run) dialListening(ctx context.Context, channel string) (*conn, net.Conn, error) {
	pc, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := pc.Exec(ctx, "LISTEN "+quoteIdentifier(channel)).ReadAll(); err != nil {
		pc.Close(ctx)
		pc.Conn().Close() // pgconn keeps it open for a while after ctx ended
		return nil, nil, fmt.Errorf("listen on %s: %w", channel, err)
	}
	return r.takeOver(ctx, pc)
}

// quoteIdentifier quotes a name for SQL.
func quoteIdentifier(name string) string {
	out := []byte{'"'}
	for i := range len(name) {
		if name[i] == '"' {
			out = append(out, '"')
		}
		out = append(out, name[i])
	}
	return string(append(out, '"'))
}

// need is a connection to be made.
type need struct {
	loop *eventLoop
	g    *group
	c    *client // nil for a pool's
	cn   *conn
	nc   net.Conn
}

func (n *need) client() int {
	if n.c == nil {
		return 0
	}
	return n.c.id
}

// connectAll makes the connections of all clients and pools. After an error it
// closes those that were made.
func (r *run) connectAll(ctx context.Context) error {
	var needs []*need
	for _, l := range r.loops {
		for _, c := range l.clients {
			if c.group.pool == nil {
				needs = append(needs, &need{loop: l, g: c.group, c: c})
			}
		}
		for _, g := range l.groups {
			if g.pool != nil {
				for range g.pool.size {
					needs = append(needs, &need{loop: l, g: g})
				}
			}
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan *need)
	var workers sync.WaitGroup
	for range min(connectAtOnce, len(needs)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := range work {
				var err error
				if n.g.Listen != "" {
					n.cn, n.nc, err = r.dialListening(ctx, n.g.Listen)
				} else {
					n.cn, n.nc, err = r.dial(ctx)
				}
				if err != nil {
					cancel(&ConnectError{n.client(), err})
				}
			}
		}()
	}
feed:
	for _, n := range needs {
		select {
		case work <- n:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	workers.Wait()
	err := context.Cause(ctx)
	if err == nil {
		r.place(needs)
	}
	for _, n := range needs {
		if n.nc == nil {
			continue
		}
		if err == nil {
			if aerr := n.loop.attach(n.cn, n.nc); aerr != nil {
				err = &ConnectError{n.client(), aerr}
				continue
			}
		}
		if n.cn.sock == nil {
			n.nc.Close()
			continue
		}
		if n.c != nil {
			n.c.adopt(n.cn)
		} else {
			n.g.pool.idle = append(n.g.pool.idle, n.cn)
		}
	}
	if err != nil {
		for _, n := range needs {
			if n.cn != nil && n.cn.sock != nil {
				n.cn.terminate()
			}
		}
		var failed *ConnectError
		if !errors.As(err, &failed) {
			err = &ConnectError{Err: err} // the caller gave up
		}
		return err
	}
	return nil
}
