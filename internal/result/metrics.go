package result

import (
	"slices"
	"strings"
)

// Metrics are all metrics. The first is what a gate decides by unless it is told
// otherwise. A metric that is added here appears everywhere.
var Metrics = slices.Concat(
	[]Metric{
		{Name: "orders_per_s", Title: "orders/s", Unit: "orders/s", Group: Throughput, InTable: true,
			Help: "orders done per second of the run", Absent: lacks[needOrders], needs: needOrders,
			Of: func(r *Run) (Estimate, bool) { return Exactly(r.OrdersPerS), r.CountsOrders }},
		{Name: "tps", Title: "tps", Unit: "tx/s", Group: Throughput, InTable: true,
			Help: "successful transactions per second of the run, empty ones included",
			Of:   func(r *Run) (Estimate, bool) { return Exactly(r.TPS), true }},
		{Name: "enqueued_per_s", Title: "enqueued/s", Unit: "orders/s", Group: Throughput,
			Help: "orders that the producers put in per second", Absent: lacks[needProducers], needs: needProducers,
			Of: func(r *Run) (Estimate, bool) {
				if r.Producers == nil {
					return Estimate{}, false
				}
				return Exactly(r.Producers.OrdersPerS), true
			}},
	},
	latencies("", OrderLatency, needNothing, "no transaction moved an order", "of transactions that moved an order (of all, where the script counts none)",
		exact(func(r *Run) *Latency { return has(&r.Latency, r.Transactions > r.Empty) })),
	latencies("empty_", EmptyLatency, needOrders, "no transaction was empty", "of transactions that found no order",
		exact(func(r *Run) *Latency { return r.EmptyLatency })),
	latencies("all_", AllLatency, needNothing, "no transaction succeeded", "of all successful transactions, as pgbench prints it",
		exact(func(r *Run) *Latency { return has(&r.AllLatency, r.Transactions > 0) })),
	latencies("lag_", ScheduleLag, needSchedule, lacks[needSchedule]+", or no transaction succeeded", "from the scheduled to the real start of transactions",
		exact(func(r *Run) *Latency { return has(r.Lag, r.Transactions > 0) })),
	latencies("queue_", QueueTimes, needProducers, noTimedOrder, "from enqueuing to taking of orders that came during the run",
		func(r *Run, value func(*Latency) float64) (Estimate, bool) { return r.QueueTimeOf(value) }),
	latencies("e2e_", EndToEnd, needProducers, noTimedOrder, "from enqueuing to completion of orders that came during the run",
		func(r *Run, value func(*Latency) float64) (Estimate, bool) { return r.EndToEndOf(value) }),
	[]Metric{
		steadyMetric("waiting", "waiting", "", "orders that had not been taken at the end",
			func(s *Steady) Estimate { return Exactly(float64(s.Waiting)) }),
		steadyMetric("oldest_waiting", "oldest waiting", "ms", "age of the oldest order that had not been taken at the end; 0 if none waited",
			func(s *Steady) Estimate { return Exactly(s.OldestMS) }),
		steadyMetric("growing", "growing", "", "1 if the queue grew over the run, 0 if it did not; not known if the trend is undecided", growing),
		steadyMetric("depth_max", "max. depth", "", "most orders in the queue at the end of an interval",
			func(s *Steady) Estimate { return Exactly(float64(s.Depth.Max)) }),
	},
	[]Metric{
		{Name: "transactions", Title: "transactions", Group: Counts, Help: "successful transactions, empty ones included",
			Of: func(r *Run) (Estimate, bool) { return Exactly(float64(r.Transactions)), true }},
		{Name: "orders", Title: "orders", Group: Counts, Help: "orders done", Absent: lacks[needOrders], needs: needOrders,
			Of: func(r *Run) (Estimate, bool) { return Exactly(float64(r.Orders)), r.CountsOrders }},
		shareOf("transactions", succeeded, count("empty", "empty", "successful transactions that moved no order", needOrders,
			func(r *Run) int64 { return r.Empty })),
		shareOf("all transactions", started, count("failed", "failed", "transactions that were given up", needNothing,
			func(r *Run) int64 { return r.Failed() })),
		shareOf("all transactions", started, count("skipped", "skipped", "transactions that were never started, because they were too late already", needLimit,
			func(r *Run) int64 { return r.Skipped })),
		shareOf("transactions", succeeded, count("late", "late", "transactions above the latency limit", needLimit,
			func(r *Run) int64 { return r.Late })),
		shareOf("all transactions", started, count("retried", "retried", "transactions that were tried more than once", needNothing,
			func(r *Run) int64 { return r.Retried })),
		count("retries", "retries", "tries beyond the first", needNothing, func(r *Run) int64 { return r.Retries }),
		count("deadlocks", "deadlocks", "tries that the server ended with a deadlock", needNothing, func(r *Run) int64 { return r.Deadlocks }),
		count("aborted_clients", "aborted clients", "clients that could not go on", needNothing, func(r *Run) int64 { return int64(r.AbortedClients) }),
	},
	[]Metric{
		audited("lost", "lost", "orders of the set that are in no table", func(a *Audit) Estimate { return Exactly(float64(a.Lost)) }),
		audited("duplicated", "duplicated", "rows beyond the first of an order", func(a *Audit) Estimate { return Exactly(float64(a.Duplicated)) }),
		audited("in_doubt", "in doubt", "orders whose COMMIT was sent and not answered", func(a *Audit) Estimate {
			if a.InDoubtUnknown {
				return AtLeast(float64(a.InDoubt))
			}
			return Exactly(float64(a.InDoubt))
		}),
		audited("remaining", "remaining", "orders left in the queue", func(a *Audit) Estimate { return Exactly(float64(a.Remaining)) }),
	},
	[]Metric{
		{Name: "client_cpu", Title: "client CPU", Unit: "%", Better: LowerIsBetter, Group: ClientCost, Whole: "this machine's cores",
			Help: "share of all cores that qbench itself used", Absent: "the run ended before its CPU time was read",
			Of: func(r *Run) (Estimate, bool) { return Exactly(100 * r.Client.CPUShare), r.Client.CPUSeconds > 0 }},
		{Name: "client_cpu_per_order", Title: "client CPU per order", Unit: "us/order", Better: LowerIsBetter, Group: ClientCost,
			Help: "CPU time of qbench per order", Absent: "no order was done, or the CPU time was not measured", needs: needOrders,
			Of: func(r *Run) (Estimate, bool) {
				return perOne(r.Client.CPUSeconds, r.Orders)
			}},
		{Name: "client_cpu_per_tx", Title: "client CPU per tx", Unit: "us/tx", Better: LowerIsBetter, Group: ClientCost,
			Help: "CPU time of qbench per successful transaction", Absent: "no transaction succeeded, or the CPU time was not measured",
			Of: func(r *Run) (Estimate, bool) {
				return perOne(r.Client.CPUSeconds, r.Transactions)
			}},
	},
)

const noTimedOrder = "the run has no producers, or no order of theirs came"

func has(l *Latency, measured bool) *Latency {
	if !measured {
		return nil
	}
	return l
}

// statistic is a value of one latency of a run; false where the run has none.
type statistic func(*Run, func(*Latency) float64) (Estimate, bool)

// exact is the statistic of a latency that is known exactly; nil is none.
func exact(latency func(*Run) *Latency) statistic {
	return func(r *Run, value func(*Latency) float64) (Estimate, bool) {
		l := latency(r)
		if l == nil {
			return Estimate{}, false
		}
		return Exactly(value(l)), true
	}
}

// latencies are the statistics of one latency.
func latencies(prefix string, group Group, needs need, absent, help string, of statistic) []Metric {
	var list []Metric
	for _, s := range []struct {
		name, title string
		of          func(*Latency) float64
	}{
		{"mean", "mean", func(l *Latency) float64 { return l.Mean }},
		{"p50", "p50", func(l *Latency) float64 { return l.P50 }},
		{"p90", "p90", func(l *Latency) float64 { return l.P90 }},
		{"p95", "p95", func(l *Latency) float64 { return l.P95 }},
		{"p99", "p99", func(l *Latency) float64 { return l.P99 }},
		{"p99_9", "p99.9", func(l *Latency) float64 { return l.P999 }},
		{"max", "max", func(l *Latency) float64 { return l.Max }},
	} {
		title := strings.Replace(prefix, "_", " ", 1)
		list = append(list, Metric{
			Name: prefix + s.name, Title: title + s.title, Unit: "ms", Better: LowerIsBetter, Group: group,
			Help: s.title + " " + help, Absent: absent, needs: needs,
			InTable: (prefix == "" || prefix == "queue_") && (s.name == "p50" || s.name == "p99"),
			Of:      func(r *Run) (Estimate, bool) { return of(r, s.of) }})
	}
	return list
}

func steadyMetric(name, title, unit, help string, of func(*Steady) Estimate) Metric {
	return Metric{Name: name, Title: title, Unit: unit, Help: help, Better: LowerIsBetter, Group: Backlog, InTable: name == "waiting",
		Absent: lacks[needProducers], needs: needProducers,
		Of: func(r *Run) (Estimate, bool) {
			if r.Steady == nil {
				return Estimate{}, false
			}
			return of(r.Steady), true
		}}
}

// growing is known where the trend is; 0 to 1 where it is undecided.
func growing(s *Steady) Estimate {
	switch {
	case s.Depth.Growing:
		return Exactly(1)
	case s.Depth.Trend == "stable" || s.Depth.Trend == "shrinking":
		return Exactly(0)
	}
	return Estimate{Value: 0, Low: 0, High: 1}
}

func count(name, title, help string, needs need, of func(*Run) int64) Metric {
	return Metric{Name: name, Title: title, Help: help, Better: LowerIsBetter, Group: Counts, needs: needs,
		Of: func(r *Run) (Estimate, bool) { return Exactly(float64(of(r))), true }}
}

func shareOf(whole string, total func(*Run) int64, m Metric) Metric {
	m.Whole, m.Total = whole, total
	m.Absent = "there was no transaction"
	return m
}

func succeeded(r *Run) int64 { return r.Transactions }

// started counts the transactions by the identity of Stats.
func started(r *Run) int64 { return r.Transactions + r.Failed() + r.Skipped }

func audited(name, title, help string, of func(*Audit) Estimate) Metric {
	return Metric{Name: name, Title: title, Help: help, Better: LowerIsBetter, Group: Proof, Absent: "the run has no audit", needs: needQueue,
		Of: func(r *Run) (Estimate, bool) {
			if !r.Audit.Made() {
				return Estimate{}, false
			}
			return of(r.Audit), true
		}}
}

// perOne is CPU time in microseconds for each of n.
func perOne(seconds float64, n int64) (Estimate, bool) {
	if n <= 0 || seconds <= 0 {
		return Estimate{}, false
	}
	return Exactly(1e6 * seconds / float64(n)), true
}
