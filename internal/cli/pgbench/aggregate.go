package pgbench

import (
	"fmt"
	"time"

	"qbench/internal/result"
	"qbench/runner"
)

// aggregate sums the transactions of one interval of --aggregate-interval.
type aggregate struct {
	interval int64 // seconds
	start    int64 // of the interval, seconds since 1970

	// Columns that are only filled under the options they belong to, and zero
	// otherwise.
	rate, limit, retries, detailed bool
	other                          bool // the column that came with PostgreSQL 19

	count        int64 // of successes
	latency, lag moments
	skipped      int64
	retried      int64
	retryCount   int64
	failures     result.Failures
}

// moments are what pgbench keeps of a series, in microseconds.
type moments struct {
	count              int64
	sum, sum2, low, up float64
}

func (m *moments) add(d time.Duration) {
	us := float64(d.Microseconds())
	if m.count == 0 || us < m.low {
		m.low = us
	}
	if m.count == 0 || us > m.up {
		m.up = us
	}
	m.count++
	m.sum += us
	m.sum2 += us * us
}

func newAggregate(o *options) *aggregate {
	return &aggregate{
		interval: int64(o.aggregateInterval), rate: o.rate > 0, limit: o.latencyLimit > 0, retries: o.maxTries != 1,
		detailed: o.failuresDetailed,
		// Other failures exist only with the option that PostgreSQL 19 brought,
		// together with the column.
		other: o.compat >= 19 || o.continueOnError,
	}
}

// begin starts the first interval at the whole second before now, as pgbench
// does: it is a little shorter than it looks.
func (a *aggregate) begin(now time.Time) { a.start = now.Unix() }

// advance appends the lines of the intervals that have ended by now, those in
// which nothing happened included.
func (a *aggregate) advance(dst []byte, now time.Time) []byte {
	for us := now.UnixMicro(); (a.start+a.interval)*1e6 <= us; a.start += a.interval {
		dst = a.appendLine(dst)
		a.count, a.latency, a.lag = 0, moments{}, moments{}
		a.skipped, a.retried, a.retryCount, a.failures = 0, 0, 0, result.Failures{}
	}
	return dst
}

func (a *aggregate) add(tx runner.TxOutcome) {
	if tx.Status == "skipped" {
		a.skipped++
		return
	}
	if tx.Retries > 0 {
		a.retried++
		a.retryCount += int64(tx.Retries)
	}
	switch tx.Status {
	case "":
		a.count++
		a.latency.add(tx.Latency)
		a.lag.add(tx.Lag)
	case "serialization":
		a.failures.Serialization++
	case "deadlock":
		a.failures.Deadlock++
	case "other":
		a.failures.Other++
	}
}

// appendLine appends: start, transactions, then sum, sum of squares, minimum
// and maximum of the latency and of the lag, skipped, retried, retries,
// serialization failures and deadlocks.
func (a *aggregate) appendLine(dst []byte) []byte {
	show := func(on bool, n int64) int64 {
		if on {
			return n
		}
		return 0
	}
	lag := a.lag
	if !a.rate {
		lag = moments{}
	}
	dst = fmt.Appendf(dst, "%d %d", a.start, a.count)
	for _, m := range [...]moments{a.latency, lag} {
		dst = fmt.Appendf(dst, " %.0f %.0f %.0f %.0f", m.sum, m.sum2, m.low, m.up)
	}
	dst = fmt.Appendf(dst, " %d %d %d %d %d", show(a.limit, a.skipped), show(a.retries, a.retried), show(a.retries, a.retryCount),
		show(a.detailed, a.failures.Serialization), show(a.detailed, a.failures.Deadlock))
	if a.other {
		dst = fmt.Appendf(dst, " %d", show(a.detailed, a.failures.Other))
	}
	return append(dst, '\n')
}
