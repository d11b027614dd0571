package report

import (
	"fmt"
	"io"
	"math"

	"qbench/internal/result"
)

// Pgbench writes, for each run, the report that pgbench prints at the end of
// a benchmark, line for line, in the form of PostgreSQL 18 or, for a lower
// Options.Compat, of 15 to 17. pgbench's banner is not part of it.
//
// Runs are parted by an empty line. Two lines have no counterpart: for a run
// that was limited by neither -t nor -T the limit is left out, and a duration
// that is no whole number of seconds is printed with its decimals.
func Pgbench(w io.Writer, f *result.File, o Options) error {
	p := newPage(o)
	for i, r := range f.Runs {
		if i > 0 {
			p.line("")
		}
		p.pgbench(r)
	}
	return p.writeTo(w)
}

func (p *page) pgbench(r *result.Run) {
	old := p.compat() < 18
	total := attempts(&r.Stats)
	p.pgbenchParameters(r)
	if total == 0 && !old {
		return
	}
	p.failureLines("", r, &r.Stats)
	p.retryLines("", r, &r.Stats)
	// Up to 17, a run whose every transaction failed stops short of the rest
	// as well.
	if total == 0 || old && r.Transactions+r.Skipped == 0 {
		return
	}
	p.skippedLine("", r, &r.Stats)
	if r.LatencyLimitMS > 0 {
		p.verbatim("number of transactions above the %.1f ms latency limit: %d/%d (%.3f%%)",
			r.LatencyLimitMS, r.Late, r.Transactions, percent(r.Late, r.Transactions))
	}
	p.latencyLines(r, total)
	p.connectionLines(r)
	p.scriptLines(r, total)
}

func (p *page) pgbenchParameters(r *result.Run) {
	p.verbatim("transaction type: %s", transactionType(r))
	p.verbatim("scaling factor: %d", r.ScaleFactor)
	if r.PgbenchPartitionMethod != "" {
		p.verbatim("partition method: %s", r.PgbenchPartitionMethod)
		p.verbatim("partitions: %d", r.PgbenchPartitions)
	}
	p.verbatim("query mode: %s", r.Mode)
	p.verbatim("number of clients: %d", r.Clients)
	p.verbatim("number of threads: %d", r.Threads)
	if r.MaxTries != 0 {
		p.verbatim("maximum number of tries: %d", r.MaxTries)
	}
	switch {
	case r.WantTransactions > 0:
		p.verbatim("number of transactions per client: %d", r.WantTransactions)
		p.verbatim("number of transactions actually processed: %d/%d", r.Transactions, r.WantTransactions*int64(r.Clients))
	case r.WantDurationS > 0 && r.WantDurationS == math.Trunc(r.WantDurationS):
		p.verbatim("duration: %.0f s", r.WantDurationS)
		p.verbatim("number of transactions actually processed: %d", r.Transactions)
	case r.WantDurationS > 0:
		p.verbatim("duration: %g s", r.WantDurationS)
		p.verbatim("number of transactions actually processed: %d", r.Transactions)
	default:
		p.verbatim("number of transactions actually processed: %d", r.Transactions)
	}
}

func transactionType(r *result.Run) string {
	switch len(r.Scripts) {
	case 0:
		return r.Strategy
	case 1:
		return r.Scripts[0].Name
	default:
		return "multiple scripts"
	}
}

// attempts is the number that pgbench's percentages refer to.
func attempts(s *result.Stats) int64 { return s.Transactions + s.Skipped + s.Failed() }

// share writes a count with its percentage; pgbench up to 17 divides by zero
// where nothing was tried.
func share(part, whole int64) string {
	if whole == 0 {
		return fmt.Sprintf("%d (NaN%%)", part)
	}
	return fmt.Sprintf("%d (%.3f%%)", part, percent(part, whole))
}

// failureLines are those of the whole run or, with the prefix " - ", of a
// script.
func (p *page) failureLines(prefix string, r *result.Run, s *result.Stats) {
	total := attempts(s)
	p.verbatim("%snumber of failed transactions: %s", prefix, share(s.Failed(), total))
	if !r.FailuresDetailed {
		return
	}
	p.verbatim("%snumber of serialization failures: %s", prefix, share(s.Failures.Serialization, total))
	p.verbatim("%snumber of deadlock failures: %s", prefix, share(s.Failures.Deadlock, total))
	// pgbench has this line from 19 on, because only then such failures are
	// possible; here they are possible in every form, and the parts must make
	// up the sum.
	if s.Failures.Other > 0 || p.compat() >= 19 {
		p.verbatim("%snumber of other failures: %s", prefix, share(s.Failures.Other, total))
	}
}

func (p *page) retryLines(prefix string, r *result.Run, s *result.Stats) {
	if r.MaxTries != 1 {
		p.verbatim("%snumber of transactions retried: %s", prefix, share(s.Retried, attempts(s)))
		p.verbatim("%stotal number of retries: %d", prefix, s.Retries)
	}
}

func (p *page) skippedLine(prefix string, r *result.Run, s *result.Stats) {
	if total := attempts(s); r.Rate > 0 && r.LatencyLimitMS > 0 && total > 0 {
		p.verbatim("%snumber of transactions skipped: %s", prefix, share(s.Skipped, total))
	}
}

// latencyLines prints the measured latency where pgbench measures it, and
// otherwise, as pgbench does, what follows from the time that the run took.
func (p *page) latencyLines(r *result.Run, total int64) {
	average, measured := pgbenchAverage(r, total)
	if measured {
		p.simpleStats("latency", r.AllLatency, r.Transactions)
	} else {
		note := ""
		if r.Failed() > 0 {
			note = " (including failures)"
		}
		p.verbatim("latency average = %.3f ms%s", average, note)
	}
	if r.Rate > 0 {
		var lag result.Latency
		if r.Lag != nil {
			lag = *r.Lag
		}
		p.verbatim("rate limit schedule lag: avg %.3f (max %.3f) ms", lag.Mean, lag.Max)
	}
}

// pgbenchAverage is what pgbench prints as the average latency in ms: that of all
// successful transactions where it measures them, and the clients' time divided
// by the number of transactions otherwise.
func pgbenchAverage(r *result.Run, total int64) (ms float64, measured bool) {
	if r.ShowProgress || r.Rate > 0 || r.LatencyLimitMS > 0 {
		return r.AllLatency.Mean, true
	}
	// In pgbench's own order and from its microseconds, so that halves round the
	// same way.
	return 0.001 * math.Round(1e6*r.DurationS) * float64(r.Clients) / float64(total), false
}

func (p *page) simpleStats(prefix string, l result.Latency, samples int64) {
	if samples == 0 {
		return
	}
	p.verbatim("%s average = %.3f ms", prefix, l.Mean)
	p.verbatim("%s stddev = %.3f ms", prefix, l.StdDev)
}

func (p *page) connectionLines(r *result.Run) {
	if r.Reconnect {
		p.verbatim("average connection time = %.3f ms", r.AverageConnMS)
		p.verbatim("tps = %f (including reconnection times)", r.TPS)
		return
	}
	p.verbatim("initial connection time = %.3f ms", r.InitialConnMS)
	p.verbatim("tps = %f (without initial connection time)", r.TPS)
}

func (p *page) scriptLines(r *result.Run, total int64) {
	several := len(r.Scripts) > 1
	weights := 0
	for _, s := range r.Scripts {
		weights += s.Weight
	}
	for i := range r.Scripts {
		s := &r.Scripts[i]
		prefix := ""
		if several {
			prefix = " - "
			p.verbatim("SQL script %d: %s", i+1, s.Name)
			p.verbatim(" - weight: %d (targets %.1f%% of total)", s.Weight, percent(int64(s.Weight), int64(weights)))
			p.scriptCounts(r, s, total)
			p.simpleStats(" - latency", s.Latency, s.Transactions)
		}
		if r.PerStatement {
			p.statementLines(prefix, r, s)
		}
	}
}

func (p *page) scriptCounts(r *result.Run, s *result.Script, total int64) {
	tps := 0.0
	if r.DurationS > 0 {
		tps = float64(s.Transactions) / r.DurationS
	}
	mine := attempts(&s.Stats)
	if p.compat() < 18 {
		p.verbatim(" - %d transactions (%.1f%% of total, tps = %f)", s.Transactions, percent(s.Transactions, r.Transactions), tps)
	} else {
		p.verbatim(" - %d transactions (%.1f%% of total)", mine, percent(mine, total))
		if mine == 0 {
			return
		}
		p.verbatim(" - number of transactions actually processed: %d (tps = %f)", s.Transactions, tps)
	}
	p.failureLines(" - ", r, &s.Stats)
	p.retryLines(" - ", r, &s.Stats)
	p.skippedLine(" - ", r, &s.Stats)
}

func (p *page) statementLines(prefix string, r *result.Run, s *result.Script) {
	what, gap := ", failures and retries", " "
	if r.MaxTries == 1 {
		what = " and failures"
	}
	if p.compat() < 18 {
		gap = "  "
	}
	p.verbatim("%sstatement latencies in milliseconds%s:", prefix, what)
	for _, st := range s.Statements {
		if r.MaxTries == 1 {
			p.verbatim("   %11.3f  %10d%s%s", st.MeanMS, st.Failures, gap, st.Text)
		} else {
			p.verbatim("   %11.3f  %10d%s%10d%s%s", st.MeanMS, st.Failures, gap, st.Retries, gap, st.Text)
		}
	}
}
