package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// Hooks tell what happens during a run; each may be nil. They are called one
// at a time, except Message.
type Hooks struct {
	// Seeding is told how many of the orders have been sent, Seeded what it took.
	Seeding func(done, total int64)
	Seeded  func(schema.SeedReport)
	// Running is called with the resolved spec when the clients are about to
	// connect, Tick after each interval, and Auditing after the last client.
	Running  func(Spec)
	Tick     func(result.Tick)
	Auditing func()
	// Waiting is told, in words, what the run waits for between the load and
	// the audit: the server, or server processes of the load.
	Waiting func(what string)
	// Message is runner.Config's: pgbench's words on standard error.
	Message func(level, text string)
}

// ErrStopped is returned when the run was stopped before its clients started,
// so that there is nothing to report.
var ErrStopped = errors.New("interrupted before the clients started")

// Run makes the queue, runs the load on it and audits it.
//
// There are two ways to end it early. When stop ends, the transactions under
// way are finished, and what was done until then is audited and returned. When
// ctx ends, Run returns at once and leaves everything as it is: of a load that
// had begun with what the clients did, not audited, else with the error of ctx.
//
// No other qbench command can use the schema until Run returns: it holds the run
// lock. A server that restarts is waited for before the audit. Errors of clients
// are part of the result, as is an audit that failed or could not be made.
func (t *Target) Run(ctx, stop context.Context, spec Spec, hooks Hooks) (*result.Run, error) {
	spec, err := spec.Resolve()
	if err != nil {
		return nil, err
	}
	if spec.RecoveryTimeout <= 0 {
		spec.RecoveryTimeout = DefaultRecoveryTimeout
	}
	if err := t.suits(ctx, &spec); err != nil {
		return nil, err
	}
	r := &run{target: t, spec: spec, hooks: hooks, id: rand.Text()}
	if spec.Queue.Workload != "" {
		defer func() { r.release(ctx) }()
		if err := r.prepare(ctx, stop); err != nil {
			return nil, err
		}
	} else if err := r.lookAtServer(ctx); err != nil {
		return nil, err
	}
	res, err := r.load(ctx, stop)
	if err != nil {
		if r.made != nil && ctx.Err() == nil {
			r.abandon(ctx)
		}
		return nil, err
	}
	if r.made != nil && r.prove(ctx, res) != nil {
		res.Interrupted = true
		res.Audit = &result.Audit{Reason: "the command was interrupted a second time before the audit"}
	}
	return res, nil
}

// run is a run under way.
type run struct {
	target *Target
	spec   Spec
	hooks  Hooks
	id     string   // random, for the queue's mark
	lock   *RunLock // nil where there are no tables
	// backends are the server processes of the load.
	backends backends
	made     *schema.Made // nil where there are no tables
	depth    int64        // orders in the queue at the start
	free     int64        // those of them that are not claimed
	before   int64        // orders done before the run
	// serverMajor and settings are the server's when the run began.
	serverMajor int
	settings    result.Assignments
	// offset is how much the server's clock is ahead of this machine's, and
	// started the moment at which what is measured began, by this one's.
	offset  time.Duration
	started time.Time
	// creators warns of those who may plant objects in the schema.
	creators string
}

// prepare brings the tables into the state that the run starts from.
func (r *run) prepare(ctx, stop context.Context) (err error) {
	// Before the clients start there is nothing to report, so that either end
	// is the end.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(stop, cancel)()
	defer func() {
		var seeding *SeedingStoppedError
		if err != nil && stop.Err() != nil && !errors.As(err, &seeding) {
			err = ErrStopped
		}
	}()

	// Before anything is touched.
	if r.lock, err = r.target.Lock(ctx); err != nil {
		return err
	}
	conn, err := r.target.Connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	clock, err := schema.Clock(ctx, conn)
	if err != nil {
		return err
	}
	r.offset = time.Until(clock)
	if err := r.readServer(ctx, conn); err != nil {
		return err
	}
	inspect := func() (*schema.Made, error) {
		return schema.Inspect(ctx, conn, r.target.Schema, r.spec.Queue.Workload)
	}
	if r.spec.KeepData {
		if r.made, err = inspect(); err != nil {
			return err
		}
	}
	if r.made != nil && r.made.Seeded {
		if err := r.keep(ctx, conn); err != nil {
			return err
		}
		if err := r.lookForCreators(ctx, conn); err != nil {
			return err
		}
		return r.start(ctx, conn)
	}
	if r.spec.KeepData {
		if err := r.spec.nothingToKeep(r.lock.schema, r.made); err != nil {
			return err
		}
	}
	if r.spec, err = r.spec.resolveQueue(); err != nil {
		return err
	}
	if err := r.target.Make(ctx, conn, r.spec.Queue, r.hooks); err != nil {
		return err
	}
	if err := r.spec.Setup.apply(ctx, r.target, conn); err != nil {
		return err
	}
	if r.made, err = inspect(); err != nil {
		return err
	}
	if err := r.lookForCreators(ctx, conn); err != nil {
		return err
	}
	r.depth, r.free = r.spec.Queue.Orders, r.spec.Queue.Orders-r.spec.Queue.Claimed
	return r.start(ctx, conn)
}

// start writes the run into the queue's mark.
func (r *run) start(ctx context.Context, conn *pgx.Conn) error {
	if r.made == nil {
		return fmt.Errorf("the queue in schema %q was dropped just now by another session", r.lock.schema)
	}
	// The server's clock, to the second: a DBA compares it with the log.
	run := schema.Running{ID: r.id, Since: time.Now().Add(r.offset).UTC().Truncate(time.Second), PID: os.Getpid(), Host: hostname()}
	return schema.StartRun(ctx, conn, r.made, run, r.before, r.enqueuedBefore())
}

// release gives the run lock back.
func (r *run) release(ctx context.Context) {
	if r.lock != nil {
		r.lock.Release(ctx)
	}
}

// keep takes the queue as it is.
func (r *run) keep(ctx context.Context, conn *pgx.Conn) (err error) {
	if r.spec, err = r.spec.onMade(r.made); err != nil {
		return err
	}
	if r.depth, err = schema.Depth(ctx, conn, r.made); err != nil {
		return err
	}
	if r.free, err = schema.Free(ctx, conn, r.made); err != nil {
		return err
	}
	switch {
	case r.spec.Feed != nil:
	case r.depth == 0:
		return fmt.Errorf("the queue in schema %q is empty, so there is nothing to take: leave out --keep-data to make it anew", r.made.Schema)
	case r.takeable() == 0:
		back := ""
		if r.made.Workload == "claims" {
			back = "--strategy claim-reclaim gives them back, and "
		}
		return fmt.Errorf("all %d orders in the queue in schema %q are claimed: %sleaving out --keep-data makes the queue anew", r.depth, r.made.Schema, back)
	}
	if r.before, err = schema.Processed(ctx, conn, r.made); err != nil {
		return err
	}
	return schema.Analyze(ctx, conn, r.made)
}

// nothingToKeep is nil where KeepData may make the queue because there is none.
// The number of orders then has to be given: 0 stands for that of the queue
// that is there.
func (s Spec) nothingToKeep(schema string, made *schema.Made) error {
	if s.Queue.Orders > 0 || s.Feed != nil {
		return nil
	}
	if made != nil {
		return fmt.Errorf("the seeding of the queue in schema %q was not finished, so there is nothing to keep: leave out --keep-data to re-create it", schema)
	}
	return fmt.Errorf("there is no queue of the workload %q in schema %q to keep: leave out --keep-data to make one, or name its schema with --schema-name", s.Queue.Workload, schema)
}

// onMade fits the spec to a queue that is there.
func (s Spec) onMade(made *schema.Made) (Spec, error) {
	want := s.Queue
	differs := func(flag, is string) (Spec, error) {
		return s, fmt.Errorf("the queue in schema %q was made with %s: leave out %s to use it as it is, or --keep-data to make it anew", made.Schema, is, flag)
	}
	switch {
	case want.Layout != "" && want.Layout != made.Layout:
		return differs("--layout", "layout "+made.Layout)
	case want.Unlogged && !made.Unlogged:
		return differs("--unlogged", "logged tables")
	case want.Partitions != 0 && want.Partitions != made.Partitions && made.Layout == schema.Partitioned:
		return differs("--partitions", amount.Count(made.Partitions, "partition"))
	case want.Orders != 0 && want.Orders != made.Orders:
		return differs("--orders", fmt.Sprintf("%d orders", made.Orders))
	case want.Index != "" && want.Index != made.Index:
		return differs("--index", "index "+made.Index)
	case want.PayloadBytes != 0 && want.PayloadBytes != made.PayloadBytes:
		return differs("--payload-bytes", fmt.Sprintf("%d bytes of payload", made.PayloadBytes))
	case want.Priorities != 0 && want.Priorities != made.Priorities:
		return differs("--priorities", fmt.Sprintf("%d priorities", made.Priorities))
	case want.Entrypoints != 0 && want.Entrypoints != made.Entrypoints:
		return differs("--entrypoints", fmt.Sprintf("%d entrypoints", made.Entrypoints))
	case want.Claimed != 0 && want.Claimed != made.Claimed:
		return differs("--claimed", fmt.Sprintf("%d claimed orders", made.Claimed))
	}
	if _, err := s.Mix.Layout(made.Layout); err != nil {
		return s, fmt.Errorf("%w (--keep-data keeps the queue in schema %q as it was made)", err, made.Schema)
	}
	for _, f := range s.Mix.functions() {
		if !slices.Contains(made.Functions, f) {
			return s, fmt.Errorf("the queue in schema %q was made without the function %s, which the strategy calls: leave out --keep-data to make it anew", made.Schema, f)
		}
	}
	s.Queue = made.Options
	return s, nil
}

// takeable is the number of orders that the clients can get at.
func (r *run) takeable() int64 {
	// A strategy with a lease gives back what others have claimed.
	if r.spec.Mix.HasParam("lease") {
		return r.depth
	}
	return r.free
}

// load runs the clients.
func (r *run) load(ctx, stop context.Context) (*result.Run, error) {
	s := &r.spec
	cfg := s.Load
	cfg.Seed = s.Seed()
	var producer *scenarios.Scenario
	if s.Feed != nil {
		var err error
		if producer, err = s.Feed.script(s.Mix); err != nil {
			return nil, err
		}
	}
	s.groups(&cfg, producer)
	cfg.Interval = s.interval()
	cfg.Symbols, cfg.Threads = s.Mix.Symbols, s.Threads()
	cfg.Message = r.hooks.Message
	cfg.Started = func(start time.Time) { r.started = start.Add(cfg.Warmup) }
	cfg.Backlog = -1
	if r.made != nil && s.Mix.CountsOrders() {
		cfg.Backlog = r.depth
		if s.Feed == nil {
			cfg.Orders = r.takeable()
		}
	}
	var params map[string]string
	cfg.Variables, params = s.Mix.variables(s.Clients, s.Queue.Partitions, s.Load.Variables)
	if lease, err := strconv.ParseFloat(cfg.Variables["lease"], 64); err == nil && s.Mix.HasParam("lease") {
		// Once it is over, somebody has to look, and to take the order again.
		cfg.Lease = 2*time.Duration(lease*float64(time.Millisecond)) + time.Second
	}
	if s.Feed != nil {
		maps.Copy(cfg.Variables, s.Feed.variables(producer, r.made))
	}
	if r.hooks.Running != nil {
		r.hooks.Running(*s)
	}

	cfg.Kill = ctx.Done()
	way, err := r.route(ctx)
	if err != nil {
		return nil, err
	}
	cfg.SearchPath = way.path
	load, err := runner.Run(stop, cfg, way.connect, r.hooks.Tick)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case stop.Err() != nil:
		return nil, ErrStopped
	default:
		return nil, err
	}
	res := Compose(cfg, load)
	res.Configuration = s.configuration(cfg, r.made, params)
	res.ServerMajor, res.Settings = r.serverMajor, r.settings
	res.Repeat, res.ShowProgress = s.Repeat, s.ShowProgress
	if s.Setup != nil {
		res.SetupDigest = result.Digest(s.Setup.SQL)
	}
	res.Stationarity = stationarity(res)
	if len(s.Mix.Scenarios) == 1 {
		res.Summary = s.Mix.Scenarios[0].Summary
	}
	for _, warning := range []string{way.pooler, r.creators} {
		if warning != "" {
			res.Warnings = append(res.Warnings, warning)
		}
	}
	return res, nil
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	// Cancelled or not, the server should hear of the end.
	_ = conn.Close(context.WithoutCancel(ctx))
}
