package cli

import (
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/report"
	"qbench/runner"
)

// Categories of flags in the help.
const (
	categoryWhat    = "What to run"
	categoryLoad    = "Load"
	categoryQueue   = "Queue"
	categoryServer  = "Server (without --dsn or libpq's variables one is started for the run)"
	categoryReport  = "Report"
	categoryMessage = "Progress and messages (standard error)"
)

const (
	defaultOrders     = "1000000"
	defaultDuration   = "30"
	defaultLogPrefix  = "qbench_log"
	defaultMaxTries   = "10"
	defaultGrace      = "10s"
	defaultSeed       = "1"
	defaultPartitions = "256"
	defaultRecovery   = "60s"
)

// serverFlags choose the server.
func serverFlags() []cli.Flag {
	return append(namedServerFlags(),
		&cli.StringSliceFlag{Name: "pg-setting", Category: categoryServer, Usage: "`NAME=VALUE`: a setting of the started server, such as fsync=off; repeatable"},
		&cli.StringFlag{Name: "pg-bindir", Category: categoryServer, Usage: "`DIR`: folder of initdb and postgres", DefaultText: "PATH, pg_config, the usual places"},
		&cli.StringFlag{Name: "recovery-timeout", Category: categoryServer, Value: defaultRecovery, Usage: "`TIME`: longest wait after the load, in seconds or as 5m, for a server that restarts or recovers from a crash, and for server processes of the load that have not ended; then the run is NOT AUDITED"},
		&cli.BoolFlag{Name: "keep-server", Category: categoryServer, Usage: "leave the started server running, and say how to connect to it and how to stop it"},
	)
}

// namedServerFlags are for commands that make sense only on a server that is
// there.
func namedServerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "dsn", Category: categoryServer, Usage: "`DSN`: the server, as postgres://USER@HOST:PORT/DATABASE or host=HOST dbname=DATABASE; what it leaves out comes from libpq's variables (PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSERVICE) and ~/.pgpass"},
	}
}

func schemaFlag() cli.Flag {
	return &cli.StringFlag{Name: "schema-name", Category: categoryQueue, Usage: "`NAME`: schema of the tables; it is made if it does not exist", DefaultText: "the connection's"}
}

// queueFlags say which tables are made; layout is what they are without
// --layout.
func queueFlags(layout string) []cli.Flag {
	return append(variantFlags(),
		&cli.StringFlag{Name: "layout", Category: categoryQueue, Usage: "`LAYOUT`: plain (logged), unlogged or partitioned", DefaultText: layout},
		&cli.BoolFlag{Name: "unlogged", Category: categoryQueue, Usage: "make the tables unlogged, whatever the layout"},
		&cli.StringFlag{Name: "partitions", Category: categoryQueue, Value: defaultPartitions, Usage: "`N`: partitions of the layout partitioned"},
		&cli.StringFlag{Name: "orders", Category: categoryQueue, Value: defaultOrders, Usage: "`N`: orders that the queue is seeded with; with --producers none by default"},
		&cli.StringFlag{Name: "seed", Category: categoryQueue, Value: defaultSeed, Usage: "`N`: what order numbers and all random numbers are derived from"},
		schemaFlag(),
	)
}

func strategyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "strategy", Aliases: []string{"s"}, Category: categoryWhat, Usage: "`LIST`: strategies by name, \"all\", or files such as ./mine.sql; see \"qbench strategies\""},
		&cli.StringSliceFlag{Name: "file", Aliases: []string{"f"}, Category: categoryWhat, Usage: "`FILE[@W]`: a script, or a strategy's name, instead of --strategy; repeated, each client picks one per transaction by weight"},
		&cli.StringSliceFlag{Name: "define", Aliases: []string{"D"}, Category: categoryWhat, Usage: "`NAME=VALUE`: set a variable of the scripts; repeatable"},
		&cli.StringFlag{Name: "batch", Category: categoryWhat, Usage: "`N`: orders per transaction, for strategies that have the parameter"},
		&cli.StringFlag{Name: "work", Category: categoryWhat, Usage: "`TIME`: work between taking and recording an order, as 10ms, or exp(10ms) for exponentially distributed times with that mean; for strategies that have the parameter"},
	}
}

func loadFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "client", Aliases: []string{"clients", "c"}, Category: categoryLoad, Value: "1", Usage: "`LIST`: number of clients"},
		&cli.StringFlag{Name: "pool", Category: categoryLoad, Usage: "`N`: connections that the clients share, each borrowing one for a transaction", DefaultText: "one for each client"},
		&cli.StringFlag{Name: "jobs", Aliases: []string{"j"}, Category: categoryLoad, Usage: "`N`: threads that carry the clients", DefaultText: "one per core, but no more than clients"},
		&cli.StringFlag{Name: "protocol", Aliases: []string{"M"}, Category: categoryLoad, Value: string(runner.Prepared), Usage: "`LIST`: query mode: simple, extended, prepared, or pipelined (prepared, with statements whose results nobody waits for travelling together)"},
		&cli.StringFlag{Name: "time", Aliases: []string{"T"}, Category: categoryLoad, Usage: "`TIME`: seconds, or a time such as 5m; a drained queue ends the run earlier; 0 is until drained", DefaultText: defaultDuration + ", without -t"},
		&cli.StringFlag{Name: "transactions", Aliases: []string{"t"}, Category: categoryLoad, Usage: "`N`: transactions of each client, empty ones included, instead of -T"},
		&cli.StringFlag{Name: "warmup", Category: categoryLoad, Value: "0", Usage: "`TIME`: run before the clock starts, not counted"},
		&cli.StringFlag{Name: "rate", Aliases: []string{"R"}, Category: categoryLoad, Usage: "`N`: start N transactions per second instead of as many as possible; latency is measured from the scheduled start"},
		&cli.StringFlag{Name: "latency-limit", Aliases: []string{"L"}, Category: categoryLoad, Usage: "`TIME`: milliseconds, or a time: count slower transactions as late, and under -R skip those that would start later"},
		&cli.BoolFlag{Name: "connect", Aliases: []string{"C"}, Category: categoryLoad, Usage: "connect anew for each transaction"},
		&cli.StringFlag{Name: "max-tries", Category: categoryLoad, Value: defaultMaxTries, Usage: "`N`: tries of a transaction that fails with a serialization failure or a deadlock; 0 is no limit"},
		&cli.StringFlag{Name: "grace", Category: categoryLoad, Value: defaultGrace, Usage: "`TIME`: longest wait after the end for clients to finish, in seconds or as 1m; then their statements are cancelled; 0 waits without limit"},
		&cli.StringFlag{Name: "repeat", Category: categoryLoad, Value: "1", Usage: "`N`: do everything N times, taking turns"},
		&cli.BoolFlag{Name: "keep-data", Category: categoryQueue, Usage: "run on the queue as the last run left it, instead of making it anew"},
	}
}

func reportFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "format", Category: categoryReport, Usage: "`NAME`: " + strings.Join(report.OfRuns.Formats(), ", "), DefaultText: "text, of several runs table"},
		&cli.StringFlag{Name: "json", Category: categoryReport, Usage: "`FILE`: write the result file as well; - is standard output, and moves the report to standard error"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: categoryReport, Usage: "`DIR`: keep the result file there as well, under a name of its own (time and strategies); the folder is made if need be"},
		&cli.BoolFlag{Name: "report-per-command", Aliases: []string{"r"}, Category: categoryReport, Usage: "latency of each statement"},
		&cli.BoolFlag{Name: "no-charts", Category: categoryReport, Usage: "no charts; only the format text has any, and only on a terminal"},
		&cli.BoolFlag{Name: "no-color", Category: categoryReport, Usage: "no colours; $NO_COLOR does the same, and only terminals get any"},
		&cli.BoolFlag{Name: "log", Aliases: []string{"l"}, Category: categoryReport, Usage: "write each transaction's outcome to a file per thread, in pgbench's format"},
		&cli.StringFlag{Name: "log-prefix", Category: categoryReport, Value: defaultLogPrefix, Usage: "`PREFIX`: of the log files' names; the process id follows, of several runs the run's number too"},
	}, thresholdFlags()...)
}

func messageFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "progress", Aliases: []string{"P"}, Category: categoryMessage, Usage: "`N`: print a line every N seconds"},
		&cli.BoolFlag{Name: "verbose-errors", Category: categoryMessage, Usage: "print every failed and every repeated transaction"},
	}
}
