package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"qbench/internal/result"
	"qbench/runner/usage"
)

// run is one load under way.
type run struct {
	cfg        Config
	ctx        context.Context // ends connecting and nothing else
	connect    Connector
	programs   [][]*program
	statements int // SQL commands over all scripts
	loops      []*eventLoop
	threads    []*thread
	base       time.Time      // GO; all times are nanoseconds since
	steady     sync.WaitGroup // loops that are not yet ready for GO
	gun        chan struct{}  // closed at GO
	dials      sync.WaitGroup // connections being made during the load
	deadline   int64          // no transaction starts from here on; 0 is never
	// measureFrom is the end of the warm-up.
	measureFrom int64

	searchPath *searchPath // nil unless each transaction has to set it

	overdue   atomic.Bool  // the grace period is over
	graceFrom atomic.Int64 // when it began, once it is over

	stop    atomic.Bool // no transaction may start
	quit    atomic.Bool // loops leave at once
	drained atomic.Bool
	aborted atomic.Int64

	client clientUse

	mu     sync.Mutex
	errors []string // why clients were aborted, each once
}

// maxErrors bounds how many different reasons are kept.
const maxErrors = 20

// errNothingToRun and its like are mistakes of the caller.
var (
	errNoClients = errors.New("no clients to run")
	errNoEnd     = errors.New("a run needs a duration, a number of transactions or a number of orders to end")
)

// ConnectError is the failure to make one of the first connections.
type ConnectError struct {
	Client int // whose it was; that of a pool counts as the first client's
	Err    error
}

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

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

// killed says whether the run was told to end at once.
func (r *run) killed() bool {
	select {
	case <-r.cfg.Kill:
		return true
	default:
		return false
	}
}

// halt lets no further transaction start and wakes those who wait for one.
func (r *run) halt() {
	r.stop.Store(true)
	for _, l := range r.loops {
		l.poll.Wake()
	}
}

func (r *run) acked() (n int64) {
	for _, l := range r.loops {
		n += l.acked.Load()
	}
	return n
}

func (r *run) enqueued() (n int64) {
	for _, l := range r.loops {
		n += l.enqueued.Load()
	}
	return n
}

func (r *run) message(level, text string) {
	if r.cfg.Message != nil {
		r.cfg.Message(level, text)
	}
}

// debug reports a step of a client. Callers ask for r.cfg.Debug first, so that
// nobody pays for the arguments otherwise.
func (r *run) debug(format string, args ...any) {
	r.message("debug", fmt.Sprintf(format, args...))
}

func (r *run) noteError(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, text)
	}
}

// retryMessage is pgbench's wording under --verbose-errors.
func (r *run) retryMessage(c *client, now int64, again bool) string {
	verb := "ends the failed transaction"
	if again {
		verb = "repeats the transaction after the error"
	}
	s := fmt.Sprintf("client %d %s (try %d", c.id, verb, c.tries)
	if r.cfg.MaxTries > 0 {
		s += fmt.Sprintf("/%d", r.cfg.MaxTries)
	}
	if limit := r.cfg.LatencyLimit; limit > 0 {
		s += fmt.Sprintf(", %.3f%% of the maximum time of tries was used", 100*float64(now-c.scheduled)/float64(limit))
	}
	return s + ")"
}

func (r *run) closeLoops() {
	for _, l := range r.loops {
		l.poll.Close()
	}
}
