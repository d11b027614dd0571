package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Progress says how a run under way is reported, an interval at a time.
type Progress struct {
	// Scheduled, Limited, Retries and Orders say whether there is a rate, a latency
	// limit, more than one try, and a script that counts orders.
	Scheduled, Limited, Retries, Orders bool
	Warmup, Duration                    time.Duration // as asked for; Duration 0 is no bound
}

// Pgbench is pgbench's line of -P; at is the time as it stands there.
func (p Progress) Pgbench(at string, t result.Tick) string {
	line := fmt.Sprintf("progress: %s, %.1f tps, lat %.3f ms stddev %.3f, %d failed", at, t.TPS, t.MeanMS, t.StdDevMS, t.Failed)
	if p.Scheduled {
		line += fmt.Sprintf(", lag %.3f ms", t.LagMS)
		if p.Limited {
			line += fmt.Sprintf(", %d skipped", t.Skipped)
		}
	}
	if p.Retries {
		line += fmt.Sprintf(", %d retried, %d retries", t.Retried, t.Retries)
	}
	return line
}

// Line is pgbench's line of -P, with what pgbench does not know behind it.
func (p Progress) Line(t result.Tick) string {
	line := p.Pgbench(fmt.Sprintf("%.1f s", t.AtS), t)
	if p.Orders {
		line += fmt.Sprintf(", %.1f orders/s", t.OrdersPerS)
		if t.EnqueuedPerS > 0 {
			line += fmt.Sprintf(", %.1f enqueued/s", t.EnqueuedPerS)
		}
		if t.Depth >= 0 {
			line += fmt.Sprintf(", %d left", t.Depth)
		}
	}
	if t.Warmup {
		line += ", warm-up"
	}
	return line
}

// Status is a line for the bottom of a terminal: what it says of the last
// interval, but for the transactions that failed until now. Where it is wider
// than the screen, the less telling parts are left out.
func (p Progress) Status(t result.Tick, failed int64, columns int) string {
	elapsed := fmt.Sprintf("%.0f s", t.AtS)
	if p.Duration > 0 {
		elapsed = fmt.Sprintf("%.0f of %.0f s", t.AtS, (p.Warmup + p.Duration).Seconds())
	}
	if t.AtS-t.LengthS < p.Warmup.Seconds() {
		// Nothing is counted yet.
		if t.Depth < 0 {
			return elapsed + ": warming up"
		}
		return elapsed + ": warming up, " + amount.Grouped(t.Depth) + " left"
	}
	parts := []string{amount.Grouped(int64(t.TPS)) + " tps", fmt.Sprintf("p99 %.1f ms", t.P99MS)}
	if p.Orders {
		parts = append([]string{amount.Grouped(int64(t.OrdersPerS)) + " orders/s"}, parts...)
	}
	if t.Depth >= 0 {
		parts = append(parts, amount.Grouped(t.Depth)+" left")
	}
	parts = append(parts, amount.Grouped(failed)+" failed")
	line := func() string { return elapsed + ": " + strings.Join(parts, ", ") }
	if p.Orders && len(line()) > columns {
		parts = slices.Delete(parts, 1, 2) // tps
	}
	for len(line()) > columns && len(parts) > 1 {
		parts = parts[:len(parts)-1]
	}
	return line()
}
