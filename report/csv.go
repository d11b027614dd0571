package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"qbench/internal/printable"
	"qbench/internal/result"
)

// csvColumns are the columns of CSV: names as in the result file, with the
// objects' names before those of their fields.
var csvColumns = []struct {
	name  string
	value func(*result.Run) string
}{
	{"strategy", func(r *result.Run) string { return r.Strategy }},
	{"workload", func(r *result.Run) string { return r.Workload }},
	{"layout", func(r *result.Run) string { return r.Layout }},
	{"unlogged", func(r *result.Run) string { return strconv.FormatBool(r.Unlogged) }},
	{"partitions", func(r *result.Run) string { return strconv.Itoa(r.Partitions) }},
	{"params", func(r *result.Run) string { return strings.Join(pairs(r.Params.Map()), " ") }},
	{"mode", func(r *result.Run) string { return string(r.Mode) }},
	{"clients", func(r *result.Run) string { return strconv.Itoa(r.Clients) }},
	{"threads", func(r *result.Run) string { return strconv.Itoa(r.Threads) }},
	{"repeat", func(r *result.Run) string { return strconv.Itoa(r.Repeat) }},
	{"rate", func(r *result.Run) string { return decimal(r.Rate) }},
	{"duration_s", func(r *result.Run) string { return decimal(r.DurationS) }},
	{"transactions", func(r *result.Run) string { return integer(r.Transactions) }},
	{"tps", func(r *result.Run) string { return decimal(r.TPS) }},
	{"orders", func(r *result.Run) string { return integer(r.Orders) }},
	{"orders_per_s", func(r *result.Run) string { return decimal(r.OrdersPerS) }},
	{"empty", func(r *result.Run) string { return integer(r.Empty) }},
	{"failed", func(r *result.Run) string { return integer(r.Failed()) }},
	{"retries", func(r *result.Run) string { return integer(r.Retries) }},
	{"skipped", func(r *result.Run) string { return integer(r.Skipped) }},
	{"late", func(r *result.Run) string { return integer(r.Late) }},
	{"drained", func(r *result.Run) string { return strconv.FormatBool(r.Drained) }},
	{"interrupted", func(r *result.Run) string { return strconv.FormatBool(r.Interrupted) }},
	{"aborted_clients", func(r *result.Run) string { return strconv.Itoa(r.AbortedClients) }},
	{"latency_ms_mean", func(r *result.Run) string { return decimal(r.Latency.Mean) }},
	{"latency_ms_stddev", func(r *result.Run) string { return decimal(r.Latency.StdDev) }},
	{"latency_ms_p50", func(r *result.Run) string { return decimal(r.Latency.P50) }},
	{"latency_ms_p90", func(r *result.Run) string { return decimal(r.Latency.P90) }},
	{"latency_ms_p95", func(r *result.Run) string { return decimal(r.Latency.P95) }},
	{"latency_ms_p99", func(r *result.Run) string { return decimal(r.Latency.P99) }},
	{"latency_ms_p99_9", func(r *result.Run) string { return decimal(r.Latency.P999) }},
	{"latency_ms_max", func(r *result.Run) string { return decimal(r.Latency.Max) }},
	{"initial_connection_ms", func(r *result.Run) string { return decimal(r.InitialConnMS) }},
	{"client_cpu_s", func(r *result.Run) string { return decimal(r.Client.CPUSeconds) }},
	{"client_max_rss_bytes", func(r *result.Run) string { return integer(r.Client.MaxRSS) }},
	{"audit_ok", func(r *result.Run) string {
		if s := AuditOf(r); s == AuditOK || s == AuditFailed {
			return strconv.FormatBool(s == AuditOK)
		}
		return ""
	}},
	{"enqueued_per_s", steadyCell(func(r *result.Run) string { return decimal(r.Producers.OrdersPerS) })},
	{"queue_time_ms_p50", steadyCell(func(r *result.Run) string {
		return latencyCell(r.QueueTime, func(l *result.Latency) float64 { return l.P50 })
	})},
	{"queue_time_ms_p99", steadyCell(func(r *result.Run) string {
		return latencyCell(r.QueueTime, func(l *result.Latency) float64 { return l.P99 })
	})},
	{"end_to_end_ms_p99", steadyCell(func(r *result.Run) string {
		return latencyCell(r.EndToEnd, func(l *result.Latency) float64 { return l.P99 })
	})},
	{"depth_end", steadyCell(func(r *result.Run) string { return integer(r.Depth.End) })},
	{"depth_max", steadyCell(func(r *result.Run) string { return integer(r.Depth.Max) })},
	{"depth_trend", steadyCell(func(r *result.Run) string { return r.Depth.Trend })},
	{"deadlocks", func(r *result.Run) string { return integer(r.Deadlocks) }},
	{"first_error", func(r *result.Run) string {
		if len(r.Errors) == 0 {
			return ""
		}
		return r.Errors[0]
	}},
}

// csvCell makes text of others fit for what reads the file. A spreadsheet takes
// a cell that begins with one of =+-@ for a formula, which may run commands and
// fetch pages; with an apostrophe before it, it is text. Numbers stay numbers.
func csvCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			text = "'" + text
		}
	}
	return printable.Text(text)
}

// steadyCell is empty for runs without producers.
func steadyCell(value func(*result.Run) string) func(*result.Run) string {
	return func(r *result.Run) string {
		if r.Steady == nil || r.Producers == nil {
			return ""
		}
		return value(r)
	}
}

func latencyCell(l *result.Latency, value func(*result.Latency) float64) string {
	if l == nil {
		return ""
	}
	return decimal(value(l))
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

// decimal writes the shortest number that reads back as the same.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// CSV writes one line per run, in the order of the file, below a line of
// names (RFC 4180, with line feeds). audit_ok is empty where nothing was
// audited. Text that a spreadsheet would take for a formula begins with an
// apostrophe.
func CSV(w io.Writer, f *result.File, _ Options) error {
	out := csv.NewWriter(w)
	record := make([]string, len(csvColumns))
	for i, c := range csvColumns {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, r := range f.Runs {
		for i, c := range csvColumns {
			record[i] = csvCell(c.value(r))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
