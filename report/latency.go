package report

import (
	"fmt"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// orderLatency prints the latencies of the transactions that moved an order,
// those of the empty ones apart, and why pgbench's average is another number.
func (p *page) orderLatency(r *result.Run) {
	if moved := r.Transactions - r.Empty; moved > 0 {
		p.latencies("latency", exactly(&r.Latency))
		if r.CountsOrders {
			p.labelled("", "of the %s that moved an order", amount.Count(moved, "transaction"))
		}
	}
	if r.EmptyLatency != nil && r.Empty > 0 {
		p.latencies("empty latency", exactly(r.EmptyLatency))
		p.labelled("", "of the %s that found no order", amount.Count(r.Empty, "transaction"))
	}
	if text := whyAverage(r); text != "" {
		p.labelled("", "%s", text)
	}
	p.histogram(r.LatencyHist)
}

// whyAverage says what pgbench's "latency average" is of, where it is not the
// mean of [result.Run.Latency].
func whyAverage(r *result.Run) string {
	total := attempts(&r.Stats)
	if total == 0 || r.Transactions == 0 {
		return ""
	}
	average, measured := pgbenchAverage(r, total)
	if significant(average) == significant(r.Latency.Mean) {
		return ""
	}
	of := "all " + amount.Count(r.Transactions, "transaction")
	if r.Empty > 0 {
		of += ", the " + amount.Grouped(r.Empty) + " empty ones included"
	}
	if measured {
		return fmt.Sprintf("pgbench's latency average above, %s ms, is of %s", amount.Number(average), of)
	}
	if r.Failed() > 0 {
		of += ", and of failed ones"
	}
	return fmt.Sprintf("pgbench's latency average above, %s ms, is the clients' time divided by the number of transactions: of %s, with the time between transactions",
		amount.Number(average), of)
}

// exactly makes estimates of latencies that are known.
func exactly(l *result.Latency) func(func(*result.Latency) float64) (result.Estimate, bool) {
	return func(value func(*result.Latency) float64) (result.Estimate, bool) {
		return result.Exactly(value(l)), true
	}
}

// statistics are the columns of a row of latencies.
var statistics = []struct {
	name string
	of   func(*result.Latency) float64
}{
	{"mean", func(l *result.Latency) float64 { return l.Mean }},
	{"p50", func(l *result.Latency) float64 { return l.P50 }},
	{"p90", func(l *result.Latency) float64 { return l.P90 }},
	{"p95", func(l *result.Latency) float64 { return l.P95 }},
	{"p99", func(l *result.Latency) float64 { return l.P99 }},
	{"p99.9", func(l *result.Latency) float64 { return l.P999 }},
	{"max", func(l *result.Latency) float64 { return l.Max }},
}

// latencies prints the statistics of a latency in ms, in a row where the page
// is wide enough; one of which only a lower bound is known as "> 4.55".
func (p *page) latencies(label string, of func(func(*result.Latency) float64) (result.Estimate, bool)) {
	type cell struct{ name, text string }
	var row []cell
	column := 9
	for _, s := range statistics {
		if e, ok := of(s.of); ok {
			c := cell{s.name, e.Text(significant)}
			row = append(row, c)
			column = max(column, cells(c.text)+1)
		}
	}
	perRow := max(1, (p.width()-labelWidth)/column)
	for len(row) > 0 {
		part := row[:min(perRow, len(row))]
		row = row[len(part):]
		names, numbers := "", ""
		for _, c := range part {
			names += padLeft(c.name, column)
			numbers += padLeft(c.text, column)
		}
		p.line("%s%s", padRight(label, labelWidth), names)
		p.line("%s%s", padRight("  in ms", labelWidth), numbers)
		label = ""
	}
}
