package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/printable"
	"qbench/internal/result"
)

// csvColumn is a column of CSV.
type csvColumn struct {
	name  string
	value func(*result.Run, *result.Environment) string
}

// csvColumns are what identifies a run, every metric under its own name, and
// what is no number.
func csvColumns() []csvColumn {
	text := func(name string, value func(*result.Run) string) csvColumn {
		return csvColumn{name, func(r *result.Run, _ *result.Environment) string { return value(r) }}
	}
	columns := []csvColumn{
		text("strategy", func(r *result.Run) string { return r.Strategy }),
		text("workload", func(r *result.Run) string { return r.Workload }),
		text("layout", func(r *result.Run) string { return r.Layout }),
		text("unlogged", func(r *result.Run) string { return strconv.FormatBool(r.Unlogged) }),
		text("partitions", func(r *result.Run) string { return strconv.Itoa(r.Partitions) }),
		text("params", func(r *result.Run) string { return strings.Join(pairs(r.Params.Map()), " ") }),
		text("mode", func(r *result.Run) string { return r.Mode }),
		text("clients", func(r *result.Run) string { return strconv.Itoa(r.Clients) }),
		text("threads", func(r *result.Run) string { return strconv.Itoa(r.Threads) }),
		text("configuration", func(r *result.Run) string {
			c := r.Configuration
			c.Params, c.Workload = "", ""
			return strings.Join(assigned(c, func(name string) bool { return !slices.Contains(shownApart, name) }), " ")
		}),
		text("repeat", func(r *result.Run) string { return strconv.Itoa(r.Repeat) }),
		text("seed", func(r *result.Run) string { return strconv.FormatUint(r.Seed, 10) }),
		{"server_version", func(_ *result.Run, e *result.Environment) string { return e.ServerVersion }},
		text("duration_s", func(r *result.Run) string { return shortest(r.DurationS) }),
	}
	for i := range result.Metrics {
		m := &result.Metrics[i]
		columns = append(columns, text(m.Name, func(r *result.Run) string {
			if e, ok := m.Of(r); ok {
				return e.Text(shortest)
			}
			return ""
		}))
	}
	return append(columns,
		text("stddev", func(r *result.Run) string { return shortest(r.Latency.StdDev) }),
		text("initial_connection_ms", func(r *result.Run) string { return shortest(r.InitialConnMS) }),
		text("client_cpu_s", func(r *result.Run) string { return shortest(r.Client.CPUSeconds) }),
		text("client_max_rss_bytes", func(r *result.Run) string { return strconv.FormatInt(r.Client.MaxRSS, 10) }),
		text("drained", func(r *result.Run) string { return strconv.FormatBool(r.Drained) }),
		text("interrupted", func(r *result.Run) string { return strconv.FormatBool(r.Interrupted) }),
		text("audit_ok", func(r *result.Run) string {
			if s := AuditOf(r); s == AuditOK || s == AuditFailed {
				return strconv.FormatBool(s == AuditOK)
			}
			return ""
		}),
		text("audit_problems", func(r *result.Run) string {
			switch AuditOf(r) {
			case AuditFailed:
				return strings.Join(problems(r.Audit), "; ")
			case AuditMissing:
				return "not audited" + whyMissing(r)
			}
			return ""
		}),
		text("depth_trend", func(r *result.Run) string {
			if r.Steady == nil {
				return ""
			}
			return r.Depth.Trend
		}),
		text("first_error", func(r *result.Run) string {
			if len(r.Errors) == 0 {
				return ""
			}
			return r.Errors[0]
		}),
		text("warnings", func(r *result.Run) string { return strings.Join(r.Warnings, "; ") }))
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

// CSV writes one line per run, in the order of the file, below a line of
// names (RFC 4180, with line feeds). A metric of which only a lower bound is
// known is "> 4.55"; one that a run does not have is empty, and so is audit_ok
// where nothing was audited. Text that a spreadsheet would take for a formula begins with an
// apostrophe.
func CSV(w io.Writer, f *result.File, _ Options) error {
	out := csv.NewWriter(w)
	columns := csvColumns()
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, r := range f.Runs {
		for i, c := range columns {
			record[i] = csvCell(c.value(r, envOf(r, f)))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
