package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"qbench/internal/result"
	"qbench/runner/usage"
)

// Mistakes of the caller.
var (
	errNoClients = errors.New("no clients to run")
	errNoEnd     = errors.New("a run needs a duration, a number of transactions or a number of orders to end")
)

// Run connects all clients, starts them at once, and returns what happened
// when all are done: the duration or the number of transactions is reached,
// the queue is drained, or ctx was cancelled (the transactions under way are
// then finished, and the result says Interrupted). observe, which may be nil,
// gets each interval as it ends, from one goroutine.
//
// The error is a *ConnectError when one of the first connections failed, or
// tells what is wrong with cfg. Errors of clients during the run are part of
// the result.
func Run(ctx context.Context, cfg Config, connect Connector, observe func(result.Tick)) (*Load, error) {
	if cfg.Consumers.Clients < 1 {
		return nil, errNoClients
	}
	if cfg.Duration <= 0 && cfg.Transactions <= 0 && cfg.Orders <= 0 {
		return nil, errNoEnd
	}
	if cfg.readUsage == nil {
		cfg.readUsage = usage.Read
	}
	if cfg.Interval <= 0 {
		cfg.Interval = time.Second
	}
	connectCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	r := &run{cfg: cfg, client: clientUse{read: cfg.readUsage}, ctx: connectCtx, connect: connect, gun: make(chan struct{}), searchPath: newSearchPath(cfg.SearchPath)}
	var err error
	if r.programs, r.statements, err = compile(&r.cfg); err != nil {
		return nil, err
	}
	defer func() {
		// A connection that is still being made leaves nothing behind.
		cancel()
		r.dials.Wait()
		r.closeLoops()
	}()
	if err := r.deal(); err != nil {
		return nil, err
	}

	startedAt := time.Now()
	if !cfg.Connect {
		if err := r.connectAll(ctx); err != nil {
			return nil, err
		}
	}
	connected := time.Since(startedAt)
	return r.drive(ctx, startedAt, connected, observe), nil
}

// drive runs from GO to the end.
func (r *run) drive(ctx context.Context, startedAt time.Time, connected time.Duration, observe func(result.Tick)) *Load {
	cfg := &r.cfg
	r.measureFrom = int64(cfg.Warmup)
	if cfg.Duration > 0 {
		r.deadline = int64(cfg.Warmup + cfg.Duration)
		if cfg.ClockBeforeConnect {
			r.deadline = max(1, r.deadline-int64(connected))
		}
	}
	var all sync.WaitGroup
	r.steady.Add(len(r.loops))
	for _, l := range r.loops {
		all.Add(1)
		go func() {
			defer all.Done()
			l.serve()
		}()
	}
	// All loops start at the same moment. Were one of them to start first, the
	// server processes that it wakes would be moved to the core that the others
	// have not taken yet, and would stay there (see place).
	r.steady.Wait()
	if cfg.Warmup <= 0 {
		r.client.begin()
	}
	r.base = time.Now()
	if cfg.Started != nil {
		cfg.Started(r.base)
	}
	close(r.gun)
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()

	o := newObserver(r, observe, connected)
	interrupted := o.watch(ctx, done)
	res := r.load(o, startedAt, connected)
	res.Interrupted = interrupted
	res.Client = r.client.use()
	return res
}

func (r *run) closeLoops() {
	for _, l := range r.loops {
		l.poll.Close()
	}
}
