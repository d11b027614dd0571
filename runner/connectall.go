package runner

import (
	"context"
	"errors"
	"sync"
)

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

// connectAtOnce bounds how many connections are being made at a time. The
// server forks a process for each one after the other, so that more gain
// nothing, while each costs memory for its handshake.
const connectAtOnce = 16

// ConnectError is the failure to make one of the first connections.
type ConnectError struct {
	Client int // whose it was; that of a pool counts as the first client's
	Err    error
}

func (e *ConnectError) Error() string { return e.Err.Error() }

func (e *ConnectError) Unwrap() error { return e.Err }
