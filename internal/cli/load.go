package cli

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/nearest"
	"qbench/runner"
)

// maxClients is PostgreSQL's own limit of connections (MAX_BACKENDS).
const maxClients = 1<<18 - 1

const (
	defaultDuration = "30"
	defaultMaxTries = "10"
	defaultGrace    = "10s"
)

func loadFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "client", Aliases: []string{"clients", "c"}, Category: categoryLoad, Value: "1", Usage: "`LIST`: number of clients"},
		&cli.StringFlag{Name: "pool", Category: categoryLoad, Usage: "`N`: connections that the clients share, each borrowing one for a transaction", DefaultText: "one for each client"},
		&cli.StringFlag{Name: "jobs", Aliases: []string{"j"}, Category: categoryLoad, Usage: "`N`: threads that carry the clients", DefaultText: "one per core, but no more than clients"},
		&cli.StringFlag{Name: "protocol", Aliases: []string{"M"}, Category: categoryLoad, Value: string(runner.Prepared), Usage: "`LIST`: query mode: simple, extended, prepared, or pipelined (like prepared, but sends statements whose results are not needed yet together)"},
		&cli.StringFlag{Name: "time", Aliases: []string{"T"}, Category: categoryLoad, Usage: "`TIME`: seconds, or a time such as 5m; a drained queue ends the run earlier; 0 is until drained", DefaultText: defaultDuration + ", without -t"},
		&cli.StringFlag{Name: "transactions", Aliases: []string{"t"}, Category: categoryLoad, Usage: "`N`: transactions of each client, empty ones included, instead of -T"},
		&cli.StringFlag{Name: "warmup", Category: categoryLoad, Value: "0", Usage: "`TIME`: run before the clock starts, not counted"},
		&cli.StringFlag{Name: "rate", Aliases: []string{"R"}, Category: categoryLoad, Usage: "`N`: start N transactions per second instead of as many as possible; latency is measured from the scheduled start"},
		&cli.StringFlag{Name: "latency-limit", Aliases: []string{"L"}, Category: categoryLoad, Usage: "`TIME`: milliseconds, or a time: count slower transactions as late, and under -R skip those that would start later"},
		&cli.BoolFlag{Name: "connect", Aliases: []string{"C"}, Category: categoryLoad, Usage: "connect for each transaction"},
		&cli.StringFlag{Name: "max-tries", Category: categoryLoad, Value: defaultMaxTries, Usage: "`N`: tries of a transaction that fails with a serialization failure or a deadlock; 0 is no limit"},
		&cli.StringFlag{Name: "grace", Category: categoryLoad, Value: defaultGrace, Usage: "`TIME`: longest wait after the end for clients to finish, in seconds or as 1m; then their statements are cancelled; 0 waits without limit"},
		&cli.StringFlag{Name: "repeat", Category: categoryLoad, Value: "1", Usage: "`N`: do everything N times, taking turns"},
		&cli.BoolFlag{Name: "keep-data", Category: categoryQueue, Usage: "run on the queue as the last run left it, instead of re-creating it"},
	}
}

// readCommon reads what all commands that measure have in common.
func readCommon(v *values) bench.Spec {
	s := bench.Spec{RecoveryTimeout: readRecovery(v)}
	if v.given("jobs") {
		s.Jobs = int(v.integer("jobs", "threads", 1, maxClients))
	}
	l := &s.Load
	l.Threads, l.Seed, l.VerboseErrors = s.Jobs, v.unsigned("seed"), v.c.Bool("verbose-errors")
	l.MaxTries = int(v.integer("max-tries", "tries", 0, math.MaxInt32))
	l.Grace = v.duration("grace", time.Second)
	return s
}

// readLoad reads what is the same for all runs of a matrix.
func readLoad(v *values) bench.Spec {
	s := readCommon(v)
	s.ShowProgress = v.given("progress")
	l := &s.Load
	l.Interval = time.Second
	if s.ShowProgress {
		l.Interval = time.Duration(v.integer("progress", "seconds", 1, math.MaxInt32)) * time.Second
	}
	switch {
	case v.given("time") && v.given("transactions"):
		v.fail("-T and -t exclude each other: give either a time or a number of transactions per client")
	case v.given("transactions"):
		l.Transactions = v.integer("transactions", "transactions", 1, math.MaxInt64)
	case v.given("time"):
		l.Duration = v.duration("time", time.Second)
	default:
		l.Duration, _ = parseDuration(defaultDuration, time.Second)
	}
	l.Warmup = v.duration("warmup", time.Second)
	if v.given("pool") {
		s.Pool = int(v.integer("pool", "connections", 1, maxClients))
	}
	if v.given("rate") {
		s.Rate = v.positive("rate", "a rate")
	}
	if v.given("latency-limit") {
		if l.LatencyLimit = v.duration("latency-limit", time.Millisecond); l.LatencyLimit == 0 {
			v.fail("-L %q: use a time above 0", v.text("latency-limit"))
		}
	}
	if l.MaxTries == 0 && l.LatencyLimit == 0 && l.Duration == 0 {
		v.fail("--max-tries 0 (no limit) needs an end: give -L or -T")
	}
	l.Connect, l.PerStatement = v.c.Bool("connect"), v.c.Bool("report-per-command")
	return s
}

func readClients(v *values) []int {
	var out []int
	for _, text := range v.list("client") {
		out = append(out, int(v.parseInteger("client", text, "clients", 1, maxClients)))
	}
	return out
}

func readModes(v *values) []runner.Mode {
	var names []string
	for _, m := range runner.Modes {
		names = append(names, string(m))
	}
	var out []runner.Mode
	for _, text := range v.list("protocol") {
		if !slices.Contains(names, text) {
			v.fail("-M %q: unknown query mode%s (one of %s)", text, nearest.DidYouMean(text, names), strings.Join(names, ", "))
		}
		out = append(out, runner.Mode(text))
	}
	return out
}

// openLoopFlags let the load follow the schedule alone.
func openLoopFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "open-loop", Category: categoryLoad, Usage: "under -R: put a further client to work whenever all others are busy, up to --max-clients, so that a slow server does not slow the starts down; starts that no client was free for are counted as dropped, and with -L those that came too late as skipped"},
		&cli.StringFlag{Name: "max-clients", Category: categoryLoad, Usage: "`N`: clients of --open-loop; all are connected beforehand"},
	}
}

// readOpenLoop returns the number of clients of --open-loop, 0 without it. The
// runner's schedule belongs to no client: whoever is free takes the next start.
// So all clients that may be needed are there from the beginning and idle, and
// none has to be connected at the worst moment.
func readOpenLoop(v *values) int {
	if !v.c.Bool("open-loop") {
		if v.given("max-clients") {
			v.fail("--max-clients is for --open-loop: give that too, or the number of clients with -c")
		}
		return 0
	}
	for flag, why := range map[string]string{
		"rate":        "--open-loop needs a schedule to follow: give one with -R",
		"max-clients": "--open-loop needs a limit: give the most clients with --max-clients",
	} {
		if !v.given(flag) {
			v.fail("%s", why)
		}
	}
	if v.given("client") {
		v.fail("under --open-loop the number of clients follows from the load: leave out -c, or leave out --open-loop")
	}
	if v.given("transactions") {
		v.fail("under --open-loop no client has a number of transactions of its own: give -T instead of -t")
	}
	if v.err != nil {
		return 0
	}
	return int(v.integer("max-clients", "clients", 1, maxClients))
}
