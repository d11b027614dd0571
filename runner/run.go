package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"qbench/runner/script"
)

// run is one load under way.
type run struct {
	cfg        Config
	ctx        context.Context // ends connecting and nothing else
	connect    Connector
	programs   [][]*program
	statements int // SQL commands over all scripts
	threads    []*thread
	base       time.Time // GO; all times are nanoseconds since
	deadline   int64     // no transaction starts from here on; 0 is never
	// measureFrom is the end of the warm-up.
	measureFrom int64

	stop    atomic.Bool // no transaction may start
	quit    atomic.Bool // threads leave at once
	drained atomic.Bool
	aborted atomic.Int64

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
func Run(ctx context.Context, cfg Config, connect Connector, observe func(Tick)) (*Result, error) {
	if len(cfg.Groups) == 0 || cfg.Groups[0].Clients < 1 {
		return nil, errNoClients
	}
	if cfg.Duration <= 0 && cfg.Transactions <= 0 && cfg.Orders <= 0 {
		return nil, errNoEnd
	}
	if cfg.Interval <= 0 {
		cfg.Interval = time.Second
	}
	connectCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	r := &run{cfg: cfg, ctx: connectCtx, connect: connect}
	var err error
	if r.programs, r.statements, err = compile(&r.cfg); err != nil {
		return nil, err
	}
	if err := r.makeThreads(); err != nil {
		return nil, err
	}
	defer r.closePollers()

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
func (r *run) drive(ctx context.Context, startedAt time.Time, connected time.Duration, observe func(Tick)) *Result {
	cfg := &r.cfg
	usage := readUsage()
	r.base = time.Now()
	if cfg.Started != nil {
		cfg.Started(r.base)
	}
	r.measureFrom = int64(cfg.Warmup)
	if cfg.Duration > 0 {
		r.deadline = int64(cfg.Warmup + cfg.Duration)
		if cfg.ClockBeforeConnect {
			r.deadline = max(1, r.deadline-int64(connected))
		}
	}
	var all sync.WaitGroup
	for _, t := range r.threads {
		all.Add(1)
		go func() {
			defer all.Done()
			t.loop()
		}()
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()

	o := newObserver(r, observe, connected)
	interrupted := o.watch(ctx, done)
	used := readUsage().since(usage)

	res := r.result(o, startedAt, connected)
	res.Interrupted = interrupted
	res.Client = used.client(time.Since(r.base))
	return res
}

// halt lets no further transaction start and wakes those who wait for one.
func (r *run) halt() {
	r.stop.Store(true)
	for _, t := range r.threads {
		t.poll.wake()
	}
}

func (r *run) acked() (n int64) {
	for _, t := range r.threads {
		n += t.acked.Load()
	}
	return n
}

func (r *run) enqueued() (n int64) {
	for _, t := range r.threads {
		n += t.enqueued.Load()
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

// makeThreads deals the clients out and draws the random seeds in pgbench's
// order: one per client, the default seed of hash functions, then three per
// thread (script choice, schedule, log sampling).
func (r *run) makeThreads() error {
	cfg := &r.cfg
	base := script.NewRand(cfg.Seed)
	total := 0
	for _, g := range cfg.Groups {
		total += g.Clients
	}
	n := min(max(1, cfg.Threads), total)
	for i := range n {
		p, err := newPoller()
		if err != nil {
			return err
		}
		t := &thread{run: r, index: i, poll: p, ended: make(chan struct{})}
		for _, programs := range r.programs {
			for _, p := range programs {
				t.statements = append(t.statements, make([]statementStats, len(p.steps)))
			}
		}
		r.threads = append(r.threads, t)
	}
	var clients []*client
	for gi := range cfg.Groups {
		clients = append(clients, r.dealGroup(gi, len(clients))...)
	}
	for _, c := range clients {
		c.rand = script.NewRand(base.Uint64())
	}
	if err := r.setVariables(clients, &base); err != nil {
		return err
	}
	for _, t := range r.threads {
		t.chooseRand = script.NewRand(base.Uint64())
		throttle := script.NewRand(base.Uint64())
		for _, g := range t.groups {
			g.throttle = throttle
			throttle = script.NewRand(throttle.Uint64())
		}
		t.sampleRand = script.NewRand(base.Uint64())
	}
	return nil
}

// dealGroup gives each thread its share of a group, in runs of neighbouring
// client numbers as pgbench deals them.
func (r *run) dealGroup(gi, firstID int) []*client {
	cfg := &r.cfg
	g := &cfg.Groups[gi]
	var clients []*client
	n := len(r.threads)
	pooled := 0
	for i, t := range r.threads {
		share := (g.Clients - len(clients) + n - i - 1) / (n - i)
		tg := &group{Group: g, index: gi, programs: r.programs[gi], rate: g.Rate, idle: int64(g.Idle), stats: newStats(g.Rate > 0)}
		for _, p := range tg.programs {
			tg.weights += int64(p.Weight)
		}
		if len(tg.programs) > 1 {
			for range tg.programs {
				tg.scripts = append(tg.scripts, newStats(g.Rate > 0))
			}
		}
		if g.Rate > 0 {
			// Each thread with clients of the group carries its part.
			tg.delay = 1e6 / g.Rate * float64(min(n, g.Clients))
		}
		if g.Pool > 0 && share > 0 {
			size := max(1, (g.Pool-pooled+n-i-1)/(n-i))
			pooled += size
			tg.pool = &pool{size: size}
		}
		t.groups = append(t.groups, tg)
		for range share {
			c := &client{id: firstID + len(clients), thread: t, group: tg, heap: -1, vars: script.NewVars(cfg.Symbols)}
			c.env = script.Env{Vars: c.vars, Rand: &c.rand, Debug: r.debugValue}
			t.clients = append(t.clients, c)
			t.live++
			clients = append(clients, c)
		}
	}
	return clients
}

func (r *run) debugValue(script, command int, v script.Value) {
	r.message("", fmt.Sprintf("debug(script=%d,command=%d): %s", script, command+1, v.AppendDebug(nil)))
}

// setVariables gives every client pgbench's automatic variables and those of
// the caller, which win.
func (r *run) setVariables(clients []*client, base *script.Rand) error {
	cfg := &r.cfg
	given := func(name string) bool { _, ok := cfg.Variables[name]; return ok }
	set := func(name string, value func(c *client) script.Value) {
		if slot, ok := cfg.Symbols.Lookup([]byte(name)); ok && !given(name) {
			for _, c := range clients {
				c.vars.Set(slot, value(c))
			}
		}
	}
	for name, text := range cfg.Variables {
		if !script.ValidName(name) {
			return fmt.Errorf("invalid variable name: %q", name)
		}
		if slot, ok := cfg.Symbols.Lookup([]byte(name)); ok {
			for _, c := range clients {
				c.vars.SetText(slot, []byte(text))
			}
		}
	}
	set("scale", func(*client) script.Value { return script.Int(1) })
	set("client_id", func(c *client) script.Value { return script.Int(int64(c.id)) })
	if !given("default_seed") {
		seed := script.Int(int64(base.Uint64()))
		set("default_seed", func(*client) script.Value { return seed })
	}
	set("random_seed", func(*client) script.Value { return script.Int(int64(cfg.Seed)) })
	return nil
}

func (r *run) closePollers() {
	for _, t := range r.threads {
		t.poll.close()
	}
}
