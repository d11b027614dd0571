package runner

import (
	"time"

	"qbench/internal/result"
)

// Load is what the clients of a run did.
type Load struct {
	StartedAt time.Time
	// Threads is the number of shares that the clients were dealt into.
	Threads   int
	Consumers GroupLoad
	Producers *GroupLoad // nil without any
	// Drained says that the queue was emptied, and AfterDrain how many
	// transactions of the consumers ended after that; they are not in Stats.
	Drained     bool
	AfterDrain  int64
	Interrupted bool
	// AbortedClients are those of both groups, and Errors why, each text once.
	AbortedClients int
	Errors         []string
	// Connected is how long it took until all clients were connected, and
	// AverageConnect, under Config.Connect, the mean time of one connection.
	Connected, AverageConnect time.Duration
	Intervals                 []result.Tick
	Client                    result.ClientUse
}

// GroupLoad is what one group of clients did.
type GroupLoad struct {
	// Seconds is how long the group was measured: from the end of the warm-up to
	// the end of its last client, or to the drain.
	Seconds float64
	result.Stats
	CountsOrders bool // whether any statement counts orders
	// Acknowledged is all orders that the group was told of, the WarmupOrders
	// included. InDoubt orders are those whose COMMIT was sent and not answered;
	// InDoubtUnknown says that there may be more of them.
	Acknowledged   int64
	WarmupOrders   int64
	InDoubt        int64
	InDoubtUnknown bool
	Scripts        []result.Script
}
