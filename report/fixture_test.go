package report

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"qbench/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test ./report -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./report -update rewrites it)\n--- got\n%s--- want\n%s", path, got, want)
	}
}

var started = time.Date(2026, 9, 1, 12, 30, 0, 0, time.UTC)

var testEnvironment = result.Environment{
	ServerVersion: "15.18", Disposable: true,
	Settings:  map[string]string{"fsync": "on", "shared_buffers": "128MB", "synchronous_commit": "on", "max_connections": "266"},
	HostCores: 2, HostMemory: 8 << 30, HostOS: "linux/amd64", HostCPU: "Some CPU @ 2.50GHz",
	QbenchVersion: "0.1.0", Args: []string{"run", "--strategy", "skip-locked", "-c", "256"}, StartedAt: started,
}

// latencies draws n lognormal samples around a median, as latencies lie, with
// one in a thousand ten times as long.
func latencies(seed uint64, n int, medianMS float64, digits int) *result.Histogram {
	rng := rand.New(rand.NewPCG(seed, 1))
	h := result.NewHistogram(digits)
	for range n {
		ms := medianMS * math.Exp(0.5*rng.NormFloat64())
		if rng.IntN(1000) == 0 {
			ms *= 10
		}
		h.Record(time.Duration(ms * 1e6))
	}
	return h
}

// newRun is a run in which nothing went wrong, of the given length.
func newRun(strategy string, clients int, durationS, medianMS float64, transactions, empty int64) *result.Run {
	r := &result.Run{
		Configuration: result.Configuration{Strategy: strategy, Workload: "orders", Layout: "plain", Mode: "prepared", Clients: clients, WantDurationS: durationS, MaxTries: 1, SeededOrders: 1_000_000, BaseSeed: 42},
		Threads:       2, Repeat: 1, Seed: 42, StartedAt: started, ScaleFactor: 1,
		DurationS: durationS, CountsOrders: true, InitialConnMS: 12.345,
	}
	r.Stats = result.Stats{
		Transactions: transactions, Orders: transactions - empty, Empty: empty,
		LatencyHist: latencies(uint64(clients)+uint64(transactions), int(transactions-empty), medianMS, result.FineDigits),
	}
	r.AllLatency = r.LatencyHist.Latency()
	if empty > 0 {
		r.EmptyHist = latencies(uint64(clients), int(empty), medianMS/4, result.FineDigits)
		l := r.EmptyHist.Latency()
		r.EmptyLatency, r.AllLatency = &l, r.All().Latency()
	}
	r.Latency = r.LatencyHist.Latency()
	r.TPS = float64(transactions) / durationS
	r.OrdersPerS = float64(r.Orders) / durationS
	r.Scripts = []result.Script{{Name: strategy, Weight: 1, Stats: r.Stats, Latency: r.AllLatency}}
	r.Client = result.ClientUse{CPUSeconds: durationS * 0.3, UserSeconds: durationS * 0.2, SysSeconds: durationS * 0.1, CPUShare: 0.15, MaxRSS: 45 << 20}
	r.Audit = &result.Audit{OK: true, Seeded: 1_000_000, Remaining: 1_000_000 - r.Orders, Processed: r.Orders, Acknowledged: r.Orders}
	for s := range int(durationS) {
		h := latencies(uint64(s), 200, medianMS*(1+0.3*math.Sin(float64(s))), result.CoarseDigits)
		l := h.Latency()
		wave := 1 + 0.1*math.Sin(float64(s)/2)
		r.Intervals = append(r.Intervals, result.Tick{
			AtS: float64(s + 1), LengthS: 1, TPS: r.TPS * wave, OrdersPerS: r.OrdersPerS * wave,
			MeanMS: l.Mean, StdDevMS: l.StdDev, P50MS: l.P50, P99MS: l.P99, MaxMS: l.Max,
			Depth: 1_000_000 - int64(float64(s+1)*r.OrdersPerS), Hist: h,
		})
	}
	return r
}

func fileOf(runs ...*result.Run) *result.File {
	for _, r := range runs {
		r.Warnings = Warnings(r, testEnvironment)
	}
	return &result.File{Format: result.Format, Runs: runs, Environment: testEnvironment}
}

// cases are runs of every kind that a report has to put into words.
func cases() map[string]*result.File {
	oneClient := newRun("for-update", 1, 10, 0.8, 12_000, 0)

	many := newRun("advisory-lock", 256, 30, 4.2, 50_000, 11_570)

	zero := newRun("skip-locked", 4, 10, 1, 0, 0)
	zero.Intervals = nil

	failed := newRun("skip-locked", 8, 10, 1.1, 20_000, 5)
	failed.Audit.OK = false
	failed.Audit.Lost, failed.Audit.Duplicated = 3, 1
	failed.Audit.Processed -= 2
	failed.Audit.Problems = []string{
		"3 orders are in neither table, among them 00000000-0000-4000-8000-000000000007",
		"order 00000000-0000-4000-8000-000000000008 was processed twice",
	}

	counted := newRun("skip-locked", 8, 10, 1.1, 20_000, 0)
	counted.Audit.OK = false
	counted.Audit.Foreign, counted.Audit.Both, counted.Audit.Orphans = 1, 2, 7
	counted.Audit.InDoubt = 1

	drained := newRun("partitioned", 8, 18.204, 0.9, 24_000, 3_000)
	drained.WantDurationS, drained.Drained, drained.AfterDrain = 30, true, 12
	drained.Partitions, drained.Layout = 256, "partitioned"
	drained.Partition = &result.PartitionUse{Partitions: 256, Untouched: 248, Left: 9_876, Min: 0, Max: 4_001}
	drained.Audit.Remaining = 0
	drained.Audit.Seeded = drained.Audit.Processed

	interrupted := newRun("skip-locked", 64, 3.25, 5, 9_000, 0)
	interrupted.WantDurationS, interrupted.Interrupted, interrupted.AbortedClients = 30, true, 2
	interrupted.Errors = []string{"client 7: connection lost: unexpected EOF while waiting for the answer to COMMIT", "client 9: ERROR: deadlock detected (SQLSTATE 40P01)"}
	interrupted.Audit.InDoubt = 1

	statements := newRun("skip-locked", 8, 10, 1.2, 20_000, 100)
	statements.PerStatement, statements.Mode = true, "pipelined"
	statements.Scripts[0].Statements = []result.Statement{
		{Text: "\\set vid 0", MeanMS: 0.001, Count: 20_000},
		{Text: "begin;", MeanMS: 0.55, Count: 20_000, Group: 1},
		{Text: "select id as vid from t_order_q limit 1 for update skip locked \\aset", MeanMS: 0.55, Count: 20_000, Group: 1},
		{Text: "end;", MeanMS: 0.6, Count: 20_000, Failures: 2, Group: 2},
	}

	scripts := newRun("multiple", 4, 10, 1.5, 16_000, 0)
	scripts.Workload = ""
	scripts.CountsOrders, scripts.Audit, scripts.Orders, scripts.OrdersPerS = false, nil, 0, 0
	half := newRun("x", 4, 10, 1.2, 12_000, 0)
	rest := newRun("y", 4, 10, 2.2, 4_000, 0)
	scripts.Scripts = []result.Script{
		{Name: "take.sql", Weight: 3, Stats: half.Stats, Latency: half.Latency},
		{Name: "put.sql", Weight: 1, Stats: rest.Stats, Latency: rest.Latency},
		{Name: "never.sql", Weight: 0},
	}

	everything := newRun("mine.sql", 16, 10, 2, 18_000, 2_000)
	everything.Threads, everything.MaxTries, everything.FailuresDetailed = 4, 3, true
	everything.Rate, everything.LatencyLimitMS, everything.ShowProgress, everything.PerStatement = 2000, 50, true, true
	everything.Skipped, everything.Late, everything.Retried, everything.Retries = 150, 321, 77, 99
	everything.Failures = result.Failures{Serialization: 5, Deadlock: 3, Other: 2}
	everything.Lag = &result.Latency{Mean: 0.77, Max: 31.5}
	everything.Reconnect, everything.AverageConnMS = true, 1.875
	everything.PgbenchPartitionMethod, everything.PgbenchPartitions = "hash", 4
	everything.WantDurationS, everything.WantTransactions, everything.WarmupOrders = 0, 1200, 500
	everything.Scripts[0].Statements = statements.Scripts[0].Statements
	everything.Producers = &result.Producers{Clients: 4, OrdersPerS: 1800, TPS: 1800, Rate: 2000, Stats: half.Stats, Latency: half.Latency, InDoubt: 1}
	everything.Audit.Enqueued = 12_000
	everything.Audit.Remaining += 12_000
	everything.Client.CPUShare = 0.9

	fed := newRun("claim", 4, 10, 1, 19_000, 1_000)
	fed.Workload, fed.Index, fed.Pool, fed.PayloadBytes = "claims", "partial", 2, 100
	fed.Producers = &result.Producers{Clients: 2, OrdersPerS: 1800, TPS: 180, Rate: 180, Stats: half.Stats, Latency: half.Latency}
	fed.Audit.Enqueued, fed.Audit.Seeded, fed.Audit.Remaining = 18_030, 0, 30
	fed.Enqueue = result.Enqueue{Producers: 2, Rate: 1800, Batch: 10, PollMS: 10}
	fed.Steady = &result.Steady{
		TimedOrders: 18_030, TimedWaiting: 30, TimedUnfinished: 34,
		QueueTime:       &result.Latency{Mean: 5, P50: 4.5, P90: 9, P95: 9.5, P99: 12, P999: 20, Max: 31},
		QueueTimeAtMost: &result.Bounds{Mean: math.Inf(1), StdDev: math.Inf(1), P50: 4.5, P90: 9, P95: 9.5, P99: 14, P999: math.Inf(1), Max: math.Inf(1)},
		EndToEnd:        &result.Latency{Mean: 6, P50: 5.5, P90: 10, P95: 10.5, P99: 13, P999: 21, Max: 32},
		EndToEndAtMost:  &result.Bounds{Mean: math.Inf(1), StdDev: math.Inf(1), P50: 5.5, P90: 10, P95: 10.5, P99: 15, P999: math.Inf(1), Max: math.Inf(1)},
		Waiting:         30, OldestMS: 12,
		Depth: result.Depth{End: 30, Max: 55, Trend: "stable", Reason: "the depth stays bounded (-1.2 to 1.1 orders/s)", SlopePerS: &result.Estimate{Low: -1.2, High: 1.1}},
	}

	growing := newRun("skip-locked", 1, 10, 10, 1_000, 0)
	growing.Producers = &result.Producers{Clients: 2, OrdersPerS: 900, TPS: 900, Rate: 1000, Stats: half.Stats, Latency: half.Latency}
	growing.Audit.Enqueued, growing.Audit.Seeded, growing.Audit.Remaining, growing.Audit.Orphans = 9_000, 0, 8_000, 3
	growing.Enqueue = result.Enqueue{Producers: 2, Rate: 1000, Batch: 1, PollMS: 1000, Notify: true}
	growing.Steady = &result.Steady{
		TimedOrders: 9_000, TimedWaiting: 7_990, TimedUnfinished: 8_000,
		QueueTime: &result.Latency{Mean: 4500, P50: 4500, P90: 8000, P95: 8500, P99: 8900, P999: 8990, Max: 9000},
		QueueTimeAtMost: &result.Bounds{Mean: math.Inf(1), StdDev: math.Inf(1), P50: math.Inf(1), P90: math.Inf(1),
			P95: math.Inf(1), P99: math.Inf(1), P999: math.Inf(1), Max: math.Inf(1)},
		Waiting: 8_000, OldestMS: 8_900,
		Depth: result.Depth{End: 8_000, Max: 8_000, Trend: "growing", Growing: true,
			Reason: "the queue grows by 800 orders/s (790 to 810)", SlopePerS: &result.Estimate{Value: 800, Low: 790, High: 810}},
	}

	batch := newRun("skip-locked-batch", 8, 10, 6, 3_000, 10)
	batch.Orders, batch.OrdersPerS, batch.Params = 29_900, 2990, result.Assign(map[string]string{"batch": "10"})
	batch.Unlogged = true

	deadlocked := newRun("jobs-grouped", 4, 10, 40, 1_000, 0)
	deadlocked.Workload, deadlocked.MaxTries = "jobs", 10
	deadlocked.Orders, deadlocked.OrdersPerS = 10_000, 1000
	deadlocked.Params = result.Assign(map[string]string{"batch": "10"})
	deadlocked.Priorities, deadlocked.Entrypoints = 1, 60
	deadlocked.Retried, deadlocked.Retries, deadlocked.Deadlocks = 17, 21, 23
	deadlocked.Failures.Deadlock, deadlocked.Audit.Orphans = 2, 10
	sorted := newRun("jobs-grouped-sorted", 4, 10, 1, 40_000, 0)
	sorted.Workload, sorted.MaxTries, sorted.Params = "jobs", 10, deadlocked.Params

	lost := func(repeat, clients int) *result.Run {
		r := newRun("skip-locked", 4, 10, 1.1, 20_000, 0)
		if r.Repeat, r.AbortedClients = repeat, clients; clients > 0 {
			r.Errors = []string{
				`client 2 aborted in command 3 (SQL) of script 0; ERROR:  relation "t_order_x" does not exist`,
				`client 2 aborted in command 3 (SQL) of script 0; ERROR:  prepared statement "P_0" does not exist`,
			}
		}
		return r
	}
	unaudited := lost(3, 2)
	unaudited.Audit = nil
	// All clients and all producers.
	gone := lost(1, 8)
	gone.Stats, gone.TPS, gone.OrdersPerS, gone.Latency, gone.Intervals = result.Stats{LatencyHist: result.NewHistogram(result.FineDigits)}, 0, 0, result.Latency{}, nil
	gone.Scripts[0].Stats = gone.Stats
	gone.Producers = &result.Producers{Clients: 4}

	return map[string]*result.File{
		"aborted": fileOf(lost(1, 0), lost(2, 2), unaudited), "all-aborted": fileOf(gone), "not-audited": fileOf(unaudited),
		"deadlocks":  fileOf(deadlocked, sorted),
		"one-client": fileOf(oneClient), "256-clients": fileOf(many), "zero": fileOf(zero),
		"failed-audit": fileOf(failed), "failed-audit-counts": fileOf(counted), "drained": fileOf(drained),
		"interrupted": fileOf(interrupted), "statements": fileOf(statements), "scripts": fileOf(scripts),
		"everything": fileOf(everything), "batch": fileOf(batch), "fed": fileOf(fed, growing), "matrix": matrix(), "no-runs": fileOf(),
	}
}

// matrix is 4 strategies at 2 client counts, 3 times each, of which one is
// unlogged and one failed its audit.
func matrix() *result.File {
	var runs []*result.Run
	for i, strategy := range []string{"for-update", "skip-locked", "advisory-lock", "partitioned-skip-locked"} {
		for _, clients := range []int{8, 64} {
			for repeat := range 3 {
				n := int64(2_000*(i+1) + 500*repeat + 10*clients)
				r := newRun(strategy, clients, 5, 1+float64(i)*float64(clients)/16, n, n*int64(i)/10)
				r.Repeat = repeat + 1
				r.Unlogged = strategy == "advisory-lock"
				r.Audit.OK = !(strategy == "for-update" && clients == 64 && repeat == 1)
				r.Audit.Lost = 1
				if r.Audit.OK {
					r.Audit.Lost = 0
				}
				runs = append(runs, r)
			}
		}
	}
	return fileOf(runs...)
}
