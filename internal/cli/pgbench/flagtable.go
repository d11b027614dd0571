package pgbench

import (
	"math"
	"strconv"
)

// section is a part of the help.
type section struct {
	title string
	flags []flagSpec
}

// sections and flagSpecs hold every option, in the order of the help. They
// are assigned in init because some options' functions read them.
var (
	sections  []section
	flagSpecs []flagSpec
)

func init() {
	sections = []section{
		{"What to run", scriptFlags}, {"How to run it", benchmarkFlags}, {"Common", commonFlags}, {"Initialization", initFlags},
	}
	for _, s := range sections {
		flagSpecs = append(flagSpecs, s.flags...)
	}
}

var scriptFlags = []flagSpec{
	{"builtin", "b", "NAME[@W]", `run the built-in script NAME with weight W ("list" shows them)`, benchmarking, (*options).setBuiltin},
	{"file", "f", "FILE[@W]", "run the script in FILE with weight W (- is standard input)", benchmarking, (*options).setFile},
	{"skip-some-updates", "N", "", "the same as -b simple-update", benchmarking,
		func(o *options, _ string) error { return o.addBuiltin("simple-update", 1) }},
	{"select-only", "S", "", "the same as -b select-only", benchmarking,
		func(o *options, _ string) error { return o.addBuiltin("select-only", 1) }},
	{"show-script", "", "NAME", "print the built-in script NAME", anyPhase, (*options).showScript},
}

var benchmarkFlags = []flagSpec{
	{"client", "c", "N", "number of clients (1)", benchmarking, intFlag("-c/--clients", 1, func(o *options, n int) { o.clients = n })},
	{"connect", "C", "", "connect for each transaction", benchmarking, boolFlag(func(o *options) { o.connect = true })},
	{"define", "D", "NAME=VALUE", "set a variable for the scripts", benchmarking, (*options).define},
	{"jobs", "j", "N", "number of threads (1)", benchmarking, intFlag("-j/--jobs", 1, func(o *options, n int) { o.threads = n })},
	{"log", "l", "", "write a line per transaction to a file", benchmarking, boolFlag(func(o *options) { o.log = true })},
	{"latency-limit", "L", "MS", "count transactions above MS milliseconds as late", benchmarking, (*options).setLatencyLimit},
	{"protocol", "M", "MODE", "simple (default), extended, prepared; pipelined is qbench's own", benchmarking, (*options).setMode},
	{"no-vacuum", "n", "", "do not vacuum pgbench's tables first", anyPhase, boolFlag(func(o *options) { o.noVacuum = true })},
	{"progress", "P", "N", "report progress every N seconds", benchmarking, intFlag("-P/--progress", 1, func(o *options, n int) { o.progress = n })},
	{"report-per-command", "r", "", "report latency, failures and retries of each command", benchmarking, boolFlag(func(o *options) { o.perStatement = true })},
	{"rate", "R", "TPS", "start TPS transactions a second by a schedule", benchmarking, (*options).setRate},
	{"scale", "s", "N", "scale factor to report and to give to the scripts (1)", anyPhase,
		intFlag("-s/--scale", 1, func(o *options, n int) { o.scale, o.scaleGiven = n, true })},
	{"transactions", "t", "N", "transactions per client (10)", benchmarking, intFlag("-t/--transactions", 1, func(o *options, n int) { o.transactions = n })},
	{"time", "T", "N", "run for N seconds", benchmarking, intFlag("-T/--time", 1, func(o *options, n int) { o.duration = n })},
	{"vacuum-all", "v", "", "vacuum all four of pgbench's tables first", benchmarking, boolFlag(func(o *options) { o.vacuumAll = true })},
	{"aggregate-interval", "", "N", "with -l: one line per N seconds", benchmarking,
		intFlag("--aggregate-interval", 1, func(o *options, n int) { o.aggregateInterval = n })},
	{"continue-on-error", "", "", "count transactions with any SQL error as failed and go on", benchmarking, boolFlag(func(o *options) { o.continueOnError = true })},
	{"exit-on-abort", "", "", "end at once, without a report, when a client is aborted", benchmarking, boolFlag(func(o *options) { o.exitOnAbort = true })},
	{"failures-detailed", "", "", "report failures by their kind", benchmarking, boolFlag(func(o *options) { o.failuresDetailed = true })},
	{"log-prefix", "", "PREFIX", "with -l: how the file's name starts (pgbench_log)", benchmarking,
		func(o *options, text string) error { o.logPrefix = text; return nil }},
	{"max-tries", "", "N", "tries of a transaction that meets a serialization failure or a deadlock (1; 0 is no limit)", benchmarking, (*options).setMaxTries},
	{"progress-timestamp", "", "", "with -P: seconds since 1970 instead of since the start", benchmarking, boolFlag(func(o *options) { o.progressTimestamp = true })},
	{"random-seed", "", "SEED", "time (default), rand or a number", benchmarking,
		func(o *options, text string) error { return o.setSeed(text, "--random-seed option") }},
	{"sampling-rate", "", "SHARE", "with -l: share of transactions to log, as 0.01", benchmarking, (*options).setSamplingRate},
	{"verbose-errors", "", "", "print every error that is retried or counted", benchmarking, boolFlag(func(o *options) { o.verboseErrors = true })},
	{"compat", "", "N", "print the report of PostgreSQL N's pgbench, 15 to 19 (18); qbench's own", anyPhase, setCompat},
}

var commonFlags = []flagSpec{
	{"debug", "", "", "print what each client does", anyPhase, boolFlag(func(o *options) { o.debug = true })},
	{"dbname", "d", "NAME", "database, or a connection string", anyPhase, func(o *options, text string) error { o.database = text; return nil }},
	{"host", "h", "HOST", "server's host or socket folder", anyPhase, func(o *options, text string) error { o.host = text; return nil }},
	{"port", "p", "PORT", "server's port", anyPhase, func(o *options, text string) error { o.port = text; return nil }},
	{"username", "U", "NAME", "role to connect as", anyPhase, func(o *options, text string) error { o.user = text; return nil }},
	{"version", "V", "", "print the version", anyPhase, func(o *options, _ string) error { o.printVersion(); return finished }},
	{"help", "?", "", "print this", anyPhase, func(o *options, _ string) error { o.printHelp(); return finished }},
}

// initFlags are understood for the sake of their mistakes; what they ask for
// is pgbench's to do.
var initFlags = []flagSpec{
	{"initialize", "i", "", "left to pgbench, as are the options below", anyPhase, boolFlag(func(o *options) { o.initialize = true })},
	{"init-steps", "I", "STEPS", "", initializing, (*options).setInitSteps},
	{"fillfactor", "F", "N", "", initializing, func(_ *options, text string) error {
		_, err := parseInt(text, "-F/--fillfactor", 10, 100)
		return err
	}},
	{"quiet", "q", "", "", initializing, ignored},
	{"foreign-keys", "", "", "", initializing, ignored},
	{"index-tablespace", "", "NAME", "", initializing, ignored},
	{"partition-method", "", "METHOD", "", initializing, (*options).setPartitionMethod},
	{"partitions", "", "N", "", initializing, intFlag("--partitions", 0, func(o *options, n int) { o.partitions = n })},
	{"tablespace", "", "NAME", "", initializing, ignored},
	{"unlogged-tables", "", "", "", initializing, ignored},
}

func ignored(*options, string) error { return nil }

func boolFlag(set func(*options)) func(*options, string) error {
	return func(o *options, _ string) error { set(o); return nil }
}

// intFlag is an option whose value is an integer of at least least.
func intFlag(label string, least int, set func(*options, int)) func(*options, string) error {
	return func(o *options, text string) error {
		n, err := parseInt(text, label, least, math.MaxInt32)
		if err != nil {
			return err
		}
		set(o, n)
		return nil
	}
}

func setCompat(o *options, text string) (err error) {
	o.compat, err = parseInt(text, "--compat", oldestCompat, latestCompat)
	return err
}

func formatUint(n uint64) string { return strconv.FormatUint(n, 10) }
