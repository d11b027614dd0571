package pgbench

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"qbench/internal/bench"
	"qbench/internal/conninfo"
	"qbench/internal/result"
	"qbench/report"
	"qbench/runner"
)

// Exit statuses.
const (
	statusUsage       = 1   // the command line, a script, the setup or a first connection
	statusIncomplete  = 2   // a client was aborted
	statusInterrupted = 130 // by a signal
)

// Main runs "qbench pgbench" with the arguments that follow these two words,
// and returns the exit status: pgbench's 0, 1 or 2, or 130 when ctx was
// cancelled. Unlike pgbench, which then loses everything, it still reports
// what was done until then.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &console{out: stdout, err: stderr, secrets: conninfo.Find(args)}
	err := run(ctx, args, stdin, c)
	if err == nil {
		return 0
	}
	var e *exit
	if !errors.As(err, &e) {
		e = fatalf("%s", err)
	}
	for _, l := range e.lines {
		c.message(l.level, l.text)
	}
	return e.status
}

func run(ctx context.Context, args []string, stdin io.Reader, c *console) error {
	o, err := parse(args, c, stdin)
	if err != nil {
		return err
	}
	s, err := o.newServer()
	if err != nil {
		return err
	}
	info, err := o.setup(ctx, s)
	if err != nil {
		return notStarted(ctx, err)
	}
	cfg := o.config(info)
	var logs *TxLog
	if o.log {
		if logs, err = o.openLog(); err != nil {
			return err
		}
		cfg.Log, cfg.Started = logs, logs.start
	}
	kill, forget := killAfterInterrupt(ctx)
	defer forget()
	cfg.Kill = kill
	var observe func(result.Tick)
	if o.progress > 0 {
		observe = o.newProgress(time.Now()).tick
	}
	load, err := runner.Run(ctx, cfg, s.connect, observe)
	if logs != nil {
		if cerr := logs.Close(); cerr != nil && err == nil {
			return fatalf("could not write the transaction log: %s", cerr)
		}
	}
	if err != nil {
		return notStarted(ctx, err)
	}
	return o.finish(bench.Compose(cfg, load), info)
}

// interruptGrace is how long the transactions under way may take after an
// interruption. Like pgbench, the command waits without limit otherwise.
const interruptGrace = 10 * time.Second

// killAfterInterrupt returns what cuts off the clients that are stuck when ctx
// has ended, so that there is a report; release it after the run.
func killAfterInterrupt(ctx context.Context) (kill <-chan struct{}, release func()) {
	killed, cut := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(interruptGrace):
			cut()
		case <-killed.Done():
		}
	})
	return killed.Done(), func() {
		stop()
		cut()
	}
}

// notStarted words the end of a run that did not start.
func notStarted(ctx context.Context, err error) error {
	var failed *runner.ConnectError
	switch {
	case ctx.Err() != nil:
		return (&exit{status: statusInterrupted}).and(levelError, "Run was interrupted before it started.")
	case errors.As(err, &failed):
		return fatalf("%s", failed.Err).and(levelError, "could not create connection for client %d", failed.Client)
	}
	return err
}

// config is the load that the options ask for.
func (o *options) config(info tables) runner.Config {
	if _, given := o.variables["scale"]; !given {
		o.variables["scale"] = strconv.Itoa(info.scale)
	}
	return runner.Config{
		Consumers:          runner.Group{Clients: o.clients, Scripts: o.scripts, Rate: o.rate},
		Threads:            o.threads,
		Mode:               o.mode,
		Duration:           time.Duration(o.duration) * time.Second,
		Transactions:       int64(o.transactions),
		Backlog:            -1,
		NoIntervals:        true,
		MaxTries:           o.maxTries,
		LatencyLimit:       o.latencyLimit,
		Connect:            o.connect,
		PerStatement:       o.perStatement,
		ContinueOnError:    o.continueOnError,
		ExitOnAbort:        o.exitOnAbort,
		ClockBeforeConnect: true,
		Seed:               o.seed,
		Variables:          o.variables,
		Symbols:            o.symbols,
		Interval:           time.Duration(max(1, o.progress)) * time.Second,
		Message:            o.console.message,
		Stdout:             o.console.out,
		Stderr:             o.console.err,
		SampleRate:         o.samplingRate,
		FailuresDetailed:   o.failuresDetailed,
		VerboseErrors:      o.verboseErrors,
		Debug:              o.debug,
	}
}

// finish prints the report and decides on the exit status.
func (o *options) finish(res *result.Run, info tables) error {
	if o.exitOnAbort && res.AbortedClients > 0 {
		return &exit{status: statusIncomplete} // the engine said why
	}
	o.describe(res, info)
	if err := report.Pgbench(o.console.out, &result.File{Runs: []*result.Run{res}}, report.Options{Compat: o.compat}); err != nil {
		return fatalf("could not write the report: %s", err)
	}
	e := &exit{}
	switch {
	case res.AbortedClients > 0:
		e.status = statusIncomplete
	case res.Interrupted:
		e.status = statusInterrupted
	default:
		return nil
	}
	return e.and(levelError, "Run was %s; the above results are incomplete.", word(res))
}

func word(res *result.Run) string {
	if res.AbortedClients > 0 {
		return "aborted"
	}
	return "interrupted"
}
