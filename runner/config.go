package runner

import (
	"context"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/runner/script"
	"qbench/runner/usage"
)

// Mode is how statements travel to the server.
type Mode string

// The query modes: the first three as pgbench sends them on the wire, and
// Pipelined, which is Prepared with the statements whose results nobody needs
// yet travelling together with the next one that is waited for.
const (
	Simple    Mode = "simple"
	Extended  Mode = "extended"
	Prepared  Mode = "prepared"
	Pipelined Mode = "pipelined"
)

// Modes lists every query mode.
var Modes = []Mode{Simple, Extended, Prepared, Pipelined}

// Script is one script of a run, its share of the transactions and how its
// work is counted.
type Script struct {
	*script.Script
	// Weight is the relative frequency; 0 means never chosen.
	Weight int
	// Orders holds one entry per command; nil where nothing is counted.
	Orders []script.OrderCount
	// Most holds one entry per command: the most orders that one execution of it
	// does. It bounds what a lost connection leaves in doubt; nil knows nothing.
	Most []script.RowLimit
	// Inline names the variables that are substituted as text in every query
	// mode, because SQL allows no parameter in their place (an identifier).
	Inline []string
}

// Group is a set of clients that run the same scripts: the consumers of a
// queue, or its producers.
type Group struct {
	Clients int
	Scripts []Script
	// Rate is the target of scheduled starts per second over all clients of
	// the group; 0 means as fast as possible.
	Rate float64
	// Idle, where positive, is how long a client waits after a transaction
	// that found no order. A notification ends the wait early if Listen is set.
	Idle time.Duration
	// Listen is the channel whose notifications wake idle clients; "" is none.
	Listen string
	// Pool is the number of connections that the group's clients share; 0
	// gives each client its own.
	Pool int
}

// Config is everything that decides how a load runs, except the server it
// runs on.
type Config struct {
	// Consumers are the clients that pgbench's block of the report describes.
	Consumers Group
	// Producers put orders into the queue meanwhile; nil is none.
	Producers *Group
	// Threads is the number of shares that the clients are dealt into, each with its
	// own schedule, choice of scripts and log (-j). One event loop per core, at most,
	// carries them.
	Threads int
	Mode    Mode
	// Duration stops new transactions after this time; 0 is no limit.
	Duration time.Duration
	// Transactions is the number each client runs; 0 is no limit.
	Transactions int64
	// Warmup is run before the clock starts; its transactions are not counted,
	// though their orders are part of the audit.
	Warmup time.Duration
	// Orders is the number of orders that can be handled at most; when that
	// many are acknowledged the queue is drained and the run ends. 0 is
	// unknown or unlimited.
	Orders int64
	// Lease is how long an order that a lost client took may stay hidden from the
	// others. Where orders are in doubt, so that their number never gets complete,
	// the queue counts as drained when all clients find nothing for that long.
	Lease time.Duration
	// Backlog is the number of orders in the queue at the start, for the depth
	// of each interval; negative if unknown.
	Backlog int64
	// MaxTries is the number of tries of a transaction that fails with a
	// serialization failure or a deadlock; 0 is no limit (needs LatencyLimit
	// or Duration), 1 no retry.
	MaxTries int
	// LatencyLimit marks slower transactions as late and, under a rate, skips
	// those that would start later than it; 0 is none.
	LatencyLimit time.Duration
	// Connect establishes a new connection for each transaction (-C).
	Connect bool
	// PerStatement collects latencies per statement (-r).
	PerStatement bool
	// ContinueOnError counts other SQL errors as failures instead of aborting
	// the client.
	ContinueOnError bool
	// ExitOnAbort ends the run when any client is aborted.
	ExitOnAbort bool
	// ClockBeforeConnect starts Duration before connecting, as pgbench does.
	ClockBeforeConnect bool
	// Grace is how long after the end of the run (the duration is over, the queue
	// drained, the run interrupted) a client may take to finish. Then its
	// statement is cancelled, and the client counts as aborted. Where only a
	// number of transactions ends the run, it begins once other clients have
	// finished and no client gets replies any more. 0 waits without limit.
	Grace time.Duration
	// SearchPath, where set, is put into each transaction with SET LOCAL, for
	// poolers that give each transaction another server connection. It is a list
	// of quoted schema names.
	SearchPath string
	// Seed is the base of all random numbers; the same seed gives pgbench's
	// numbers.
	Seed uint64
	// Variables are set in every client before its first transaction (-D).
	Variables map[string]string
	// Symbols is the table that the scripts were parsed with.
	Symbols *script.Symbols
	// Kill ends the run at once when it is closed: connections are closed, the
	// transactions under way are cut off, and what is known is returned. It may
	// be nil.
	Kill <-chan struct{}
	// Interval is the time between observations and between the entries of
	// Load.Intervals; 0 is one second. In a long run neighbouring entries are
	// merged.
	Interval time.Duration
	// NoIntervals leaves Load.Intervals empty.
	NoIntervals bool
	// Started, which may be nil, is called once with the moment at which all
	// clients start.
	Started func(time.Time)
	// Log receives each transaction's outcome (-l); nil is none.
	Log TxLogger
	// Message receives what pgbench prints to standard error during a run:
	// client aborts ("error"), debug() values (""), verbose errors ("info"),
	// the server's notices ("notice") and what Debug adds ("debug"). It is
	// called from several goroutines.
	Message func(level, text string)
	// Debug reports each step of each client to Message.
	Debug bool
	// Stdout and Stderr are given to the commands of \shell.
	Stdout, Stderr io.Writer
	// SampleRate is the share of transactions that Log sees; 0 is all.
	SampleRate float64
	// FailuresDetailed tells Log the kind of each failure.
	FailuresDetailed bool
	// VerboseErrors reports every retried or failed transaction to Message.
	VerboseErrors bool

	readUsage func() usage.Sample // usage.Read, but for tests
}

// groups are the consumers and, where there are any, the producers.
func (c *Config) groups() []*Group {
	if c.Producers == nil {
		return []*Group{&c.Consumers}
	}
	return []*Group{&c.Consumers, c.Producers}
}

// TxLogger receives the outcome of each transaction. Calls for one thread come
// from one goroutine; calls for several threads come concurrently.
type TxLogger interface {
	LogTx(thread int, tx TxOutcome)
}

// TxOutcome is one line of a transaction log.
type TxOutcome struct {
	Client, Script int
	Serial         int64     // of the client, from 1
	Start          time.Time // scheduled
	End            time.Time
	Latency, Lag   time.Duration
	Retries        int
	// Status is "" for success, or pgbench's word: skipped, failed,
	// serialization, deadlock or other.
	Status string
	Orders int64
}

// Connector establishes one connection; it is called from several goroutines
// and returns soon after ctx is done. Connections of a configuration that
// [PrepareConfig] saw are served by the event loop itself, others by goroutines
// of their own, which costs more.
type Connector func(ctx context.Context) (*pgconn.PgConn, error)
