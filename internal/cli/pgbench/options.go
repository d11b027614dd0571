package pgbench

import (
	"io"
	"time"

	"qbench/runner"
	"qbench/runner/script"
)

// defaultTransactions is run per client where neither -t nor -T is given.
const defaultTransactions = 10

// Forms of the report that --compat selects, by PostgreSQL's major version.
const (
	oldestCompat  = 15
	defaultCompat = 18
	latestCompat  = 19
)

// options is a command line, read and checked.
type options struct {
	console *console
	stdin   io.Reader
	symbols *script.Symbols
	args    []string // as given

	host, port, user string
	database         string // or a connection string

	scripts     []runner.Script
	builtinUsed bool
	variables   map[string]string

	clients, threads int
	mode             runner.Mode
	connect          bool // -C
	transactions     int
	duration         int // seconds
	rate             float64
	latencyLimit     time.Duration
	maxTries         int
	seed             uint64
	scale            int
	scaleGiven       bool

	noVacuum, vacuumAll            bool
	progress                       int // seconds
	progressTimestamp              bool
	perStatement, failuresDetailed bool
	verboseErrors, debug           bool
	continueOnError, exitOnAbort   bool

	log               bool
	logPrefix         string
	aggregateInterval int // seconds
	samplingRate      float64

	compat int

	initialize                       bool
	partitions                       int
	partitionMethod                  string
	benchmarkingSet, initializingSet bool // an option for that mode was given
}

func newOptions(c *console, stdin io.Reader) *options {
	return &options{
		console: c, stdin: stdin, symbols: script.NewSymbols(), variables: map[string]string{},
		clients: 1, threads: 1, mode: runner.Simple, maxTries: 1, scale: 1, compat: defaultCompat,
	}
}

// complete adds the defaults that depend on other options and refuses
// combinations, in pgbench's order, so that of several mistakes the same one
// is named.
func (o *options) complete(positional []string) error {
	if len(o.scripts) == 0 && !o.initialize {
		if err := o.addBuiltin("tpcb-like", 1); err != nil {
			return err
		}
		o.benchmarkingSet = true
	}
	if err := o.checkScripts(); err != nil {
		return err
	}
	o.threads = min(o.threads, o.clients)
	if o.database == "" && len(positional) > 0 {
		o.database, positional = positional[0], positional[1:]
	}
	if len(positional) > 0 {
		return fatalf(`too many command-line arguments (first is "%s")`, positional[0]).tryHelp()
	}
	if o.initialize {
		return o.refuseInitialization()
	}
	if o.initializingSet {
		return fatalf("some of the specified options cannot be used in benchmarking mode")
	}
	return o.checkLimits()
}

func (o *options) checkScripts() error {
	total := 0
	for _, s := range o.scripts {
		if o.mode != runner.Simple {
			if err := s.CheckArguments(); err != nil {
				return fatalf("%s", err)
			}
		}
		total += s.Weight
	}
	if total == 0 && !o.initialize {
		return fatalf("total script weight must not be zero")
	}
	return nil
}

// refuseInitialization answers -i: qbench makes no pgbench tables, since that
// is done once and pgbench does it.
func (o *options) refuseInitialization() error {
	switch {
	case o.benchmarkingSet:
		return fatalf("some of the specified options cannot be used in initialization (-i) mode")
	case o.partitions == 0 && o.partitionMethod != "":
		return fatalf("--partition-method requires greater than zero --partitions")
	}
	return fatalf("initialization (-i) is left to pgbench itself").and(levelHint, "Run: %s", initCommand(o.args))
}

func (o *options) checkLimits() error {
	if o.transactions > 0 && o.duration > 0 {
		return fatalf("specify either a number of transactions (-t) or a duration (-T), not both")
	}
	if o.transactions == 0 && o.duration == 0 {
		o.transactions = defaultTransactions
	}
	switch {
	case o.samplingRate > 0 && !o.log:
		return fatalf("log sampling (--sampling-rate) is allowed only when logging transactions (-l)")
	case o.samplingRate > 0 && o.aggregateInterval > 0:
		return fatalf("log sampling (--sampling-rate) and aggregation (--aggregate-interval) cannot be used at the same time")
	case o.aggregateInterval > 0 && !o.log:
		return fatalf("log aggregation is allowed only when actually logging transactions")
	case o.logPrefix != "" && !o.log:
		return fatalf("log file prefix (--log-prefix) is allowed only when logging transactions (-l)")
	case o.duration > 0 && o.aggregateInterval > o.duration:
		return fatalf("number of seconds for aggregation (%d) must not be higher than test duration (%d)", o.aggregateInterval, o.duration)
	case o.duration > 0 && o.aggregateInterval > 0 && o.duration%o.aggregateInterval != 0:
		return fatalf("duration (%d) must be a multiple of aggregation interval (%d)", o.duration, o.aggregateInterval)
	case o.progressTimestamp && o.progress == 0:
		return fatalf("--progress-timestamp is allowed only under --progress")
	case o.maxTries == 0 && o.latencyLimit == 0 && o.duration == 0:
		return fatalf("an unlimited number of transaction tries can only be used with --latency-limit or a duration (-T)")
	}
	return nil
}
