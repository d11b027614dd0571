package runner

import (
	"encoding/json"
	"time"
)

// Format names the version of the result file.
const Format = "qbench/1"

// File is what a result file holds: plain data that every renderer and every
// comparison reads.
type File struct {
	Format      string      `json:"format"`
	Runs        []*Result   `json:"runs"`
	Environment Environment `json:"environment"`
	// Capacity is what capacity planning found, as it was written.
	Capacity json.RawMessage `json:"capacity,omitempty"`
}

// Environment is what the numbers were measured on.
type Environment struct {
	ServerVersion string            `json:"server_version"` // "15.18"
	Settings      map[string]string `json:"settings"`       // those that matter to a queue
	Disposable    bool              `json:"disposable"`     // qbench started the server itself
	HostCores     int               `json:"host_cores"`
	HostMemory    int64             `json:"host_memory_bytes"`
	HostOS        string            `json:"host_os"` // GOOS/GOARCH
	HostCPU       string            `json:"host_cpu"`
	QbenchVersion string            `json:"qbench_version"`
	Args          []string          `json:"args"` // the command line, without passwords
	StartedAt     time.Time         `json:"started_at"`
}

// Result is one run. Durations are seconds or milliseconds as their names say.
type Result struct {
	Strategy   string `json:"strategy"`
	Summary    string `json:"summary,omitempty"`
	Workload   string `json:"workload,omitempty"` // orders, claims, jobs; "" for a script without a queue
	Layout     string `json:"layout,omitempty"`   // plain, unlogged, partitioned
	Unlogged   bool   `json:"unlogged"`
	Partitions int    `json:"partitions,omitempty"`
	Index      string `json:"index,omitempty"` // variant of the queue's indexes
	// PayloadBytes and Claimed are what the orders were seeded with.
	PayloadBytes int   `json:"payload_bytes,omitempty"`
	Claimed      int64 `json:"claimed,omitempty"`
	// Pool is the number of connections that the clients shared; 0 is one each.
	Pool      int               `json:"pool,omitempty"`
	Params    map[string]string `json:"params,omitempty"` // the script's parameters and -D
	Mode      Mode              `json:"mode"`
	Clients   int               `json:"clients"`
	Threads   int               `json:"threads"`
	Repeat    int               `json:"repeat"` // from 1
	Seed      uint64            `json:"seed"`
	StartedAt time.Time         `json:"started_at"`

	// What was asked for, as pgbench's report prints it.
	WantDurationS    float64 `json:"want_duration_s,omitempty"`
	WantTransactions int64   `json:"want_transactions,omitempty"` // per client
	MaxTries         int     `json:"max_tries"`
	Rate             float64 `json:"rate,omitempty"`              // per second
	LatencyLimitMS   float64 `json:"latency_limit_ms,omitempty"`  // -L
	Reconnect        bool    `json:"reconnect,omitempty"`         // -C
	PerStatement     bool    `json:"per_statement,omitempty"`     // -r
	ShowProgress     bool    `json:"show_progress,omitempty"`     // -P: pgbench then prints measured latency
	FailuresDetailed bool    `json:"failures_detailed,omitempty"` // --failures-detailed
	ScaleFactor      int     `json:"scale_factor"`                // pgbench's; 1 for custom scripts
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

	Stats // of the first group

	Drained        bool           `json:"drained"`
	AfterDrain     int64          `json:"after_drain,omitempty"` // transactions that ended after the drain; not in Stats
	Interrupted    bool           `json:"interrupted"`
	AbortedClients int            `json:"aborted_clients"`
	Errors         []string       `json:"errors,omitempty"` // why clients were aborted, each text once
	Acknowledged   int64          `json:"acknowledged"`     // all orders done, the warm-up's included
	WarmupOrders   int64          `json:"warmup_orders,omitempty"`
	InDoubt        int64          `json:"in_doubt"`                   // orders whose COMMIT was sent but not answered
	InDoubtUnknown bool           `json:"in_doubt_unknown,omitempty"` // of some statements that may have done more, no bound is known
	CountsOrders   bool           `json:"counts_orders"`              // whether any statement counts orders
	InitialConnMS  float64        `json:"initial_connection_ms"`      // until all were connected
	AverageConnMS  float64        `json:"average_connection_ms"`      // under -C
	Latency        Latency        `json:"latency_ms"`                 // summary of Stats.LatencyHist
	Lag            *Latency       `json:"lag_ms,omitempty"`           // under a rate
	Audit          *Audit         `json:"audit,omitempty"`            // nil where there is no queue
	Client         Client         `json:"client"`
	Intervals      []Tick         `json:"intervals"`
	ScriptResults  []ScriptResult `json:"scripts"`
	Producers      *GroupResult   `json:"producers,omitempty"` // the second group
	*Steady                       // where there are producers
	Partition      *PartitionUse  `json:"partition_use,omitempty"`
	Warnings       []string       `json:"warnings"`
}

// Stats is the accounting of a set of transactions: a client's, a thread's, a
// script's or a run's. The identity that holds for every one of them:
//
//	started = Transactions + Failed() + Skipped
//
// Empty and Late transactions are among Transactions.
type Stats struct {
	Transactions int64 `json:"transactions"` // successful
	Orders       int64 `json:"orders"`
	Empty        int64 `json:"empty"` // successful, but moved no order
	Skipped      int64 `json:"skipped"`
	Late         int64 `json:"late"`    // above the latency limit
	Retried      int64 `json:"retried"` // transactions that were tried more than once
	Retries      int64 `json:"retries"`
	// Deadlocks counts the tries that the server ended with one, whether the
	// transaction was tried again or given up.
	Deadlocks int64    `json:"deadlocks,omitempty"`
	Failures  Failures `json:"failures"`
	// LatencyHist is from the (scheduled) start to the end of each successful
	// transaction; EmptyHist is the part of it that moved no order.
	LatencyHist *Histogram `json:"latency_hist,omitempty"`
	LagHist     *Histogram `json:"lag_hist,omitempty"`
}

// Failures counts transactions that were given up, by cause.
type Failures struct {
	Serialization int64 `json:"serialization"`
	Deadlock      int64 `json:"deadlock"`
	Other         int64 `json:"other"`
}

// Failed is the number of transactions that were given up.
func (s *Stats) Failed() int64 {
	return s.Failures.Serialization + s.Failures.Deadlock + s.Failures.Other
}

// Latency summarises a histogram in milliseconds.
type Latency struct {
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stddev"`
	Min    float64 `json:"min"`
	P50    float64 `json:"p50"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	P999   float64 `json:"p99_9"`
	Max    float64 `json:"max"`
}

// ScriptResult is one script's part of a run.
type ScriptResult struct {
	Name       string            `json:"name"`
	Weight     int               `json:"weight"`
	Statements []StatementResult `json:"statements,omitempty"` // under -r
	Stats
	Latency Latency `json:"latency_ms"`
}

// StatementResult is one command's part of a script.
type StatementResult struct {
	Text     string  `json:"text"`
	MeanMS   float64 `json:"mean_ms"`
	Count    int64   `json:"count"`
	Failures int64   `json:"failures"`
	Retries  int64   `json:"retries"`
	// Group is the 1-based number of the round trip that the statement
	// travelled in under -M pipelined; 0 elsewhere.
	Group int `json:"group,omitempty"`
}

// GroupResult is a further group's part of a run, its producers.
type GroupResult struct {
	Clients    int     `json:"clients"`
	OrdersPerS float64 `json:"orders_per_s"`
	TPS        float64 `json:"tps"`
	Rate       float64 `json:"rate,omitempty"`
	Stats
	Latency Latency `json:"latency_ms"`
	InDoubt int64   `json:"in_doubt"`
	// InDoubtUnknown: see Result.
	InDoubtUnknown bool `json:"in_doubt_unknown,omitempty"`
	// Acknowledged is all orders put in, the warm-up's included.
	Acknowledged  int64          `json:"acknowledged"`
	ScriptResults []ScriptResult `json:"scripts"`
}

// Steady is what a run with producers says beyond the two groups' own
// statistics: how long orders waited and whether the queue was kept short.
// Percentiles are over all orders that came and were done during the run,
// computed from the tables.
type Steady struct {
	// TimedOrders is the number of orders that QueueTime and EndToEnd are of.
	TimedOrders int64 `json:"timed_orders"`
	// QueueTime is from the clock_timestamp() of the INSERT (so that the
	// producer's COMMIT, after which the order is visible, is part of it) to the
	// moment a consumer took the order.
	QueueTime *Latency `json:"queue_time_ms,omitempty"`
	// EndToEnd is from the same start to the statement that recorded the order.
	EndToEnd *Latency `json:"end_to_end_ms,omitempty"`
	// Waiting orders had not been taken at the end and are in no percentile; the
	// oldest of them had waited for OldestMS.
	Waiting  int64   `json:"waiting"`
	OldestMS float64 `json:"oldest_waiting_ms,omitempty"`
	Depth    Depth   `json:"depth"`
	// PollIntervalMS is how long an idle consumer waited before it looked again;
	// with Notify a notification ended the wait.
	PollIntervalMS float64 `json:"poll_interval_ms"`
	Notify         bool    `json:"notify,omitempty"`
	// Batch is the number of orders that a producer put in per transaction.
	Batch int `json:"enqueue_batch"`
}

// Depth is the number of orders in the queue, claimed ones included, over the
// measured part of a run.
type Depth struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	Max   int64 `json:"max"` // at the ends of intervals
	// Trend is stable, growing, shrinking or undecided, and Reason says why.
	Trend  string `json:"trend"`
	Reason string `json:"reason"`
	// Growing is whether more came in than was taken out.
	Growing bool `json:"growing"`
	// SlopePerS is the trend in orders per second with its 95 % confidence
	// interval; nil where there are too few intervals to tell.
	SlopePerS *Interval `json:"slope_per_s,omitempty"`
}

// Interval is an estimate with the ends of its confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Tick is what was done in one interval.
type Tick struct {
	AtS          float64    `json:"at_s"`     // end of the interval, since GO
	LengthS      float64    `json:"length_s"` // of the interval
	TPS          float64    `json:"tps"`      // successful transactions per second
	OrdersPerS   float64    `json:"orders_per_s"`
	Empty        int64      `json:"empty"`
	Failed       int64      `json:"failed"`
	Skipped      int64      `json:"skipped"`
	Retried      int64      `json:"retried"`
	Retries      int64      `json:"retries"`
	MeanMS       float64    `json:"mean_ms"`
	StdDevMS     float64    `json:"stddev_ms"`
	P50MS        float64    `json:"p50_ms"`
	P99MS        float64    `json:"p99_ms"`
	MaxMS        float64    `json:"max_ms"`
	LagMS        float64    `json:"lag_ms,omitempty"`         // mean
	EnqueuedPerS float64    `json:"enqueued_per_s,omitempty"` // orders the producers put in
	Depth        int64      `json:"depth"`                    // orders left in the queue at the end; -1 if unknown
	Warmup       bool       `json:"warmup,omitempty"`
	Hist         *Histogram `json:"hist,omitempty"` // latencies of the interval, 2 digits
}

// Audit is the proof that each order was handled exactly once. One that could
// not be made has a Reason, and its OK, which is then false, is null in a file:
// a reader that knows nothing of reasons takes it for a failed one.
type Audit struct {
	OK bool `json:"ok"`
	// Reason says why the audit could not be made; "" where it was.
	Reason       string `json:"reason,omitempty"`
	Seeded       int64  `json:"seeded"`
	Enqueued     int64  `json:"enqueued"`     // by producers, acknowledged
	Remaining    int64  `json:"remaining"`    // rows in the queue
	Processed    int64  `json:"processed"`    // rows in the result table
	Acknowledged int64  `json:"acknowledged"` // orders the clients counted since the set was made
	InDoubt      int64  `json:"in_doubt"`
	// InDoubtUnknown says that InDoubt is the least: see Result.
	InDoubtUnknown bool     `json:"in_doubt_unknown,omitempty"`
	Lost           int64    `json:"lost"`               // of the set, in neither table
	Duplicated     int64    `json:"duplicated"`         // rows beyond the first of the same order in one table
	Both           int64    `json:"both"`               // in both tables
	Foreign        int64    `json:"foreign"`            // in a table, but not of the set
	Orphans        int64    `json:"orphans,omitempty"`  // claimed but never completed
	Problems       []string `json:"problems,omitempty"` // what is wrong, a sentence each
}

// Made tells an audit with a verdict from one that could not be made.
func (a *Audit) Made() bool { return a != nil && a.Reason == "" }

// Failed tells whether the audit was made and found a mistake.
func (a *Audit) Failed() bool { return a.Made() && !a.OK }

// NotMade withdraws the verdict "ok" for a reason. A mistake that was found
// stays one.
func (a *Audit) NotMade(reason string) {
	if a.OK {
		a.OK, a.Reason = false, reason
	}
}

// MarshalJSON writes null for the verdict of an audit that was not made.
func (a Audit) MarshalJSON() ([]byte, error) {
	type fields Audit
	out := struct {
		OK *bool `json:"ok"`
		fields
	}{&a.OK, fields(a)}
	if !a.Made() {
		out.OK = nil
	}
	return json.Marshal(out)
}

// Client is what the load generator itself used during the run.
type Client struct {
	CPUSeconds  float64 `json:"cpu_s"` // user + system, from GO to the end
	UserSeconds float64 `json:"user_s"`
	SysSeconds  float64 `json:"sys_s"`
	CPUShare    float64 `json:"cpu_share"` // of all cores of this machine, 0 to 1
	MaxRSS      int64   `json:"max_rss_bytes"`
}

// PartitionUse says how evenly a partitioned queue was drained.
type PartitionUse struct {
	Partitions int   `json:"partitions"`
	Untouched  int   `json:"untouched"` // partitions none of whose orders was taken
	Left       int64 `json:"left"`      // orders left in them
	Min        int64 `json:"min_left"`
	Max        int64 `json:"max_left"`
}
