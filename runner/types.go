package runner

// The types below refer to each other, so they stand in one file. What they do is
// in files of its own, each of which calls only what stands below it (see doc.go).

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"qbench/internal/result"
	"qbench/runner/loop"
	"qbench/runner/script"
	"qbench/runner/txn"
	"qbench/runner/usage"
	"qbench/runner/wire"
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

// eventLoop is one event loop. It owns its clients, their connections and all
// statistics about them; other goroutines reach it through post only.
type eventLoop struct {
	run     *run
	poll    poller
	core    int // that it runs on; -1 is any
	box     loop.Inbox
	clients []*client
	groups  []*group
	live    int           // clients not yet finished
	ended   chan struct{} // closed when serve returns

	now        int64 // nanoseconds since GO, as of the last event
	timers     loop.Timers
	ready      []*client // to be advanced before the next wait
	scratch    []byte
	statements [][]statementStats // by script and command
	done       int64              // transactions
	lastAck    int64              // of a consumer's order
	quietAt    int64              // acknowledged orders + 1 when all consumers found nothing, see quietFor
	quietSince int64              // since when
	quietUse   usage.Sample       // what had been used by then
	stopSeen   bool
	connecting time.Duration // under -C, summed over transactions

	// Read by other loops when one of them suspects that the queue is
	// drained; written by this one alone.
	acked    atomic.Int64
	enqueued atomic.Int64
	inDoubt  atomic.Bool  // some consumers' orders are
	emptyAt  atomic.Int64 // see allFoundNothing
	idle     atomic.Bool  // no consumer of this loop is left
	finished atomic.Int64 // clients
	_        [64]byte     // keeps the counters off a neighbour's cache line
}

// poller is a loop.Loop, but for tests.
type poller interface {
	Attach(nc net.Conn, receive loop.Receive) (loop.Socket, error)
	Wait(timeout time.Duration) error
	Wake()
	Close()
}

// group is what a loop keeps about its share of a Group.
type group struct {
	*Group
	index    int
	programs []*program
	weights  int64
	rate     float64
	idle     int64 // nanoseconds
	pool     *pool

	stats        *result.Stats // since the last tick
	scripts      []*result.Stats
	afterDrain   int64
	warmupOrders int64
	doubt        txn.Doubt
	end          int64 // when the last client of the group finished
}

// statementStats is what is kept per command; sums in nanoseconds.
type statementStats struct {
	count, failures, retries int64
	sum                      float64
}

func (s *statementStats) add(ns int64) {
	s.count++
	s.sum += float64(ns)
}

// pool is a loop's share of the connections that a group's clients borrow
// for one transaction each.
type pool struct {
	size    int
	idle    []*conn
	waiting []*client // first come, first served
}

// state is where a client stands between two events. The names follow
// pgbench's connection states, whose order of checks decides what is counted.
type state uint8

const (
	stChooseScript state = iota
	stThrottle           // sleeps until the scheduled start
	stWaitConn           // waits for a pooled or a new connection
	stStartTx
	stStartCommand
	stWaitPrepare // for the reply to a Parse sent ahead (-M prepared)
	stExecute     // after that
	stWaitResult
	stSleep // in \sleep
	stShell // in \shell or \setshell
	stEndCommand
	stError
	stWaitRollback
	stEndTx
	stIdle // found no order; waits before it looks again
	stAborted
	stFinished
)

// client walks through scripts, one transaction after the other. It is a
// state machine: advance takes it as far as it gets without waiting.
type client struct {
	id     int
	loop   *eventLoop
	thread *thread
	group  *group
	conn   *conn
	vars   *script.Vars
	env    script.Env
	rand   script.Rand // of \set's random functions
	state  state

	// The transaction under way.
	prog      *program
	pc        int
	nextPC    int   // after the command at pc
	scheduled int64 // start by the schedule, or begin where there is none
	begin     int64
	tries     int
	deadlocks int // tries that ended in one
	status    errorStatus
	saved     script.Rand     // state at the start, for a retry
	tx        txn.Transaction // what the server has open
	committed int64           // orders done and committed
	cause     string          // first error of the transaction, if another one followed from it
	local     bool            // commands ran since the clock was read
	waited    bool            // the transaction gave way to others at least once
	count     int64           // of transactions, for -t
	emptyAt   int64           // orders acknowledged by all when it last found none
	ended     bool            // it no longer counts as live

	// The commands under way.
	stmtBegin int64
	sent      []sentStep // not yet answered, in order
	answered  int        // how many of sent are
	flushed   int        // how many of syncs were given to the socket
	syncs     []int      // len(sent) at each Sync not yet answered
	unsynced  bool       // encoded statements wait for a Sync to follow
	prologue  bool       // the next result is that of the search path
	block     bool       // within a transaction block, as far as was sent
	pipeline  bool       // between \startpipeline and \endpipeline
	next      state      // after a successful response

	// The response under way.
	failure    failure
	syncFailed bool   // an error came since the last ReadyForQuery
	runnable   bool   // the response is complete: advance
	badColumn  string // a column's name that no variable can have
	query      int    // number of the result within the response
	columns    []int
	row        []byte
	rows       int
	lastRows   int
	value      int64 // of script.CountValue
	heard      int64 // when the last reply came

	// Waiting.
	timer loop.Timer
}

// sentStep is a statement on its way.
type sentStep struct {
	*step
	pc       int
	parsing  bool   // its Parse is not yet confirmed
	executes bool   // it is not only parsed
	most     int64  // orders that it does at most
	key      string // of conn.inlined, where the statement has inlined text
}

// failure is the first error of a response.
type failure struct {
	status errorStatus
	body   []byte // of the ErrorResponse
	pc     int    // command it is reported for
	at     *step  // command it came from
	query  int
	text   string // set instead of body for errors found on this side
	fatal  bool   // the script is at fault: abort whatever the policy
}

// conn is a connection to the server after the handshake, owned by one loop.
type conn struct {
	pid    uint32 // of the server process
	sock   loop.Socket
	cancel func(context.Context) error // asks the server to cancel its statement
	client *client                     // who uses it now; nil in a pool
	out    []byte                      // encoded, not yet written
	in     wire.Reader
	// prepared tells by statement id what was parsed on this connection;
	// inlined holds the names of statements with inlined text.
	prepared []bool
	inlined  map[string]string
	texts    int     // statements with inlined text so far, for their names
	columns  [][]int // by statement id, in pipelined mode: described once
	txStatus byte    // of the last ReadyForQuery: I, T or E
	notified bool    // a notification came while its client was busy
}

// need is a connection to be made.
type need struct {
	loop *eventLoop
	g    *group
	c    *client // nil for a pool's
	cn   *conn
	nc   net.Conn
}

func (n *need) client() int {
	if n.c == nil {
		return 0
	}
	return n.c.id
}
