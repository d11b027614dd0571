package result

import "time"

// Run is one run. Durations are seconds or milliseconds as their names say.
type Run struct {
	Configuration
	// Env is what the run was made on: that of the file it stands in.
	Env *Environment `json:"-"`

	Summary string `json:"summary,omitempty"` // of the strategy
	Repeat  int    `json:"repeat"`            // from 1
	// SetupDigest is of the text of the --setup file.
	SetupDigest string `json:"setup_digest,omitempty"`
	// Seed is the seed that this repeat used.
	Seed      uint64    `json:"seed"`
	Threads   int       `json:"threads"` // event loops that carried the clients
	StartedAt time.Time `json:"started_at"`

	// How pgbench's report is to be printed.
	PerStatement     bool `json:"per_statement,omitempty"`     // -r
	ShowProgress     bool `json:"show_progress,omitempty"`     // -P: pgbench then prints measured latency
	FailuresDetailed bool `json:"failures_detailed,omitempty"` // --failures-detailed
	ScaleFactor      int  `json:"scale_factor"`                // pgbench's; 1 for custom scripts
	// PgbenchPartitionMethod (range, hash) and PgbenchPartitions describe
	// pgbench_accounts where a built-in script runs and the table is
	// partitioned; a queue's partitions are in Partitions.
	PgbenchPartitionMethod string `json:"pgbench_partition_method,omitempty"`
	PgbenchPartitions      int    `json:"pgbench_partitions,omitempty"`

	// DurationS runs from GO to the end of the last transaction or, for a
	// drained queue, to the moment the last order was acknowledged.
	DurationS float64 `json:"duration_s"`
	// TPS is transactions / duration; OrdersPerS is orders / duration.
	TPS        float64 `json:"tps"`
	OrdersPerS float64 `json:"orders_per_s"`

	// Stationarity is nil where the run has too few intervals to judge it.
	Stationarity *Stationarity `json:"stationarity,omitempty"`

	Stats // of the consumers

	Drained        bool     `json:"drained"`
	AfterDrain     int64    `json:"after_drain,omitempty"` // transactions that ended after the drain; not in Stats
	Interrupted    bool     `json:"interrupted"`
	AbortedClients int      `json:"aborted_clients"`
	Errors         []string `json:"errors,omitempty"` // why clients were aborted, each text once
	Acknowledged   int64    `json:"acknowledged"`     // all orders done, the warm-up's included
	WarmupOrders   int64    `json:"warmup_orders,omitempty"`
	InDoubt        int64    `json:"in_doubt"`                   // orders whose COMMIT was sent but not answered
	InDoubtUnknown bool     `json:"in_doubt_unknown,omitempty"` // of some statements that may have done more, no bound is known
	CountsOrders   bool     `json:"counts_orders"`              // whether any statement counts orders
	InitialConnMS  float64  `json:"initial_connection_ms"`      // until all were connected
	AverageConnMS  float64  `json:"average_connection_ms"`      // under -C
	// Latency is of the transactions that moved an order (of all, where the script
	// counts none), EmptyLatency of those that found none, and AllLatency of both
	// together, as pgbench prints it.
	Latency      Latency       `json:"latency_ms"`
	EmptyLatency *Latency      `json:"empty_latency_ms,omitempty"`
	AllLatency   Latency       `json:"all_latency_ms"`
	Lag          *Latency      `json:"lag_ms,omitempty"` // under a rate
	Audit        *Audit        `json:"audit,omitempty"`  // nil where there is no queue
	Client       ClientUse     `json:"client"`
	Intervals    []Tick        `json:"intervals"`
	Scripts      []Script      `json:"scripts"`
	Producers    *Producers    `json:"producers,omitempty"`
	*Steady                    // where there are producers
	Partition    *PartitionUse `json:"partition_use,omitempty"`
	Warnings     []string      `json:"warnings"`
}

// Producers is what the producers of a run did.
type Producers struct {
	Clients    int     `json:"clients"`
	OrdersPerS float64 `json:"orders_per_s"`
	TPS        float64 `json:"tps"`
	Rate       float64 `json:"rate,omitempty"` // transaction starts per second that were asked for
	Stats
	Latency Latency `json:"latency_ms"`
	InDoubt int64   `json:"in_doubt"`
	// InDoubtUnknown: see Run.
	InDoubtUnknown bool `json:"in_doubt_unknown,omitempty"`
	// Acknowledged is all orders put in, the warm-up's included.
	Acknowledged int64    `json:"acknowledged"`
	Scripts      []Script `json:"scripts"`
}
