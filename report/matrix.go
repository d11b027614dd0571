package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// Table ranks the runs of a file in one table: by orders/s, with the ratio to
// the first. Repeats stand in one line, as median and range. Where the width
// does not hold all columns, those that are the same for all runs move above
// the table, and then the least needed are left out. What stands against the
// numbers is said below the table.
func Table(w io.Writer, f *result.File, o Options) error {
	p := newPage(o)
	if len(f.Runs) == 0 {
		p.line("no runs")
		return p.writeTo(w)
	}
	k := rank(f.Runs)
	if err := p.ranking(&k); err != nil {
		return err
	}
	p.runWarnings(groupWarnings(f.Runs, k.names), len(f.Runs))
	return p.writeTo(w)
}

// ranking writes what makes numbers invalid, and the table.
func (p *page) ranking(k *ranking) error {
	if k.warning != "" {
		p.wrap("warning: ", "         ", caution, k.warning)
	}
	for i := range k.entries {
		e := &k.entries[i]
		switch e.audit {
		case AuditFailed:
			p.wrap("", "  ", alarm, "AUDIT FAILED"+e.audit.shareIn(e.runs)+": "+e.title()+": numbers are invalid, not ranked")
		case AuditMissing:
			p.wrap("", "  ", alarm, "NOT AUDITED"+e.audit.shareIn(e.runs)+": "+e.title()+": numbers are not proved, not ranked")
		}
		for _, r := range e.runs {
			switch AuditOf(r) {
			case AuditFailed:
				for _, problem := range problems(r.Audit) {
					p.wrap("  - ", "    ", alarm, problem)
				}
			case AuditMissing:
				if r.Audit != nil && r.Audit.Reason != "" {
					p.wrap("  - ", "    ", alarm, r.Audit.Reason)
				}
			}
		}
		if e.aborted.runs > 0 {
			p.wrap("", "  ", alarm, "ABORTED: "+e.title()+": "+e.aborted.text())
		}
	}
	t := k.table()
	if err := p.table(t); err != nil {
		return err
	}
	p.cutDifferences(k, t)
	return nil
}

// cutDifferences says in full what tells the rows apart, where the page is too
// narrow for it to stand in their names.
func (p *page) cutDifferences(k *ranking, t table) {
	fitted, _ := p.fit(t)
	for i := range k.entries {
		e := &k.entries[i]
		differs := k.names[e.runs[0].Configuration]
		for _, c := range fitted.columns {
			if c.title == "strategy" && c.cells[i] == e.strategy {
				differs = nil
			}
		}
		if len(differs) > 0 {
			p.wrap(fmt.Sprintf("row %d: ", i+1), "  ", plain, strings.Join(append([]string{e.runs[0].Strategy}, differs...), " "))
		}
	}
}

// tableLeftOut says how soon a metric's column is left out; the others go
// second.
var tableLeftOut = map[string]int{"p50": 1, "tps": 2, "enqueued_per_s": 5, "queue_p99": 6, "p99": 6}

// table is the ranking as a table: identity, score, and every metric that says
// that it stands there and that some run has.
func (k *ranking) table() table {
	col := columnsOf(k.entries)
	number := func(c column, keys func(*entry) float64) column {
		for i := range k.entries {
			c.keys = append(c.keys, keys(&k.entries[i]))
		}
		return c
	}
	place := number(col("#", 0, func(e *entry) string {
		if e.place == 0 {
			return "-"
		}
		return strconv.Itoa(e.place)
	}), func(e *entry) float64 {
		if e.place == 0 {
			return float64(len(k.entries) + 1)
		}
		return float64(e.place)
	})
	score, scoreMetric := func(e *entry) spread { return e.ordersPerS }, "orders_per_s"
	if !k.byOrders {
		score, scoreMetric = func(e *entry) spread { return e.tps }, "tps"
	}
	columns := []column{
		place,
		names(col("strategy", 0, func(e *entry) string { return e.strategy })),
		alike(names(col("layout", 0, func(e *entry) string { return e.layout })), func(s string) string { return "layout " + s }),
		alike(leftColumn(col("mode", 0, func(e *entry) string { return e.mode })), func(s string) string { return "mode " + s }),
		alike(number(col("clients", 0, func(e *entry) string { return strconv.Itoa(e.clients) }), func(e *entry) float64 { return float64(e.clients) }),
			func(s string) string { return s + " clients" }),
		number(col(scoreTitle(k.byOrders), 0, func(e *entry) string { return significant(score(e).median) }), func(e *entry) float64 { return score(e).median }),
	}
	if k.repeats {
		columns = append(columns, col("min-max", 5, func(e *entry) string {
			return significant(score(e).min) + "-" + significant(score(e).max)
		}), alike(col("runs", 4, func(e *entry) string { return strconv.Itoa(len(e.runs)) }), func(s string) string { return s + " runs each" }))
	}
	ratio := number(col("ratio", 7, func(e *entry) string {
		if e.place == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", e.ratio)
	}), func(e *entry) float64 { return e.ratio })
	for i := range k.entries {
		ratio.bars = append(ratio.bars, max(0, min(1, k.entries[i].ratio)))
	}
	columns = append(columns, ratio)
	for i := range result.Metrics {
		m := &result.Metrics[i]
		if m.InTable && m.Name != scoreMetric {
			columns = append(columns, k.metricColumns(m.Name, columnTitle(m), m.Unit, m.Of)...)
		}
		if m.Name == "tps" && k.byOrders {
			columns = append(columns, k.metricColumns("empty", "empty %", "%", emptyShare)...)
		}
	}
	columns = append(columns, k.depthColumns()...)
	columns = append(columns, k.retryColumns()...)
	if slices.ContainsFunc(k.entries, func(e entry) bool { return e.aborted.runs > 0 }) {
		columns = append(columns, col("aborted", lastLeftOut, func(e *entry) string { return e.aborted.worst() }))
	}
	audit := alike(leftColumn(col("audit", lastLeftOut, func(e *entry) string { return e.audit.String() })), func(s string) string { return "audit " + s })
	audit.painted = true
	columns = append(columns, audit)
	t := table{id: "ranking", columns: columns}
	for i := range k.entries {
		s := plain
		if !k.entries[i].audit.Proved() {
			s = alarm
		}
		t.styles = append(t.styles, s)
	}
	return t
}

func scoreTitle(byOrders bool) string {
	if byOrders {
		return "orders/s"
	}
	return "tps"
}

// columnTitle is a metric's title with the unit, where the title does not say it.
func columnTitle(m *result.Metric) string {
	if m.Unit == "" || m.Unit == m.Title || m.Title == "tps" || m.Unit == "orders/s" {
		return m.Title
	}
	return m.Title + " " + m.Unit
}

// emptyShare is the part of a run's transactions that were empty, in per cent.
func emptyShare(r *result.Run) (result.Estimate, bool) {
	return result.Exactly(percent(r.Empty, r.Transactions)), r.CountsOrders
}

// writer writes the numbers of a unit: counts, which have none, in full.
func writer(unit string) func(float64) string {
	if unit == "" {
		return func(x float64) string { return amount.Grouped(int64(math.Round(x))) }
	}
	return significant
}

// metricColumns is the column of a metric, and none where no run has it.
func (k *ranking) metricColumns(name, title, unit string, of func(*result.Run) (result.Estimate, bool)) []column {
	leftOut, ok := tableLeftOut[name]
	if !ok {
		leftOut = 3
	}
	c, any := column{title: title, right: true, leftOut: leftOut}, false
	for i := range k.entries {
		v, ok := k.entries[i].value(of)
		any = any || ok
		if ok {
			c.cells, c.keys = append(c.cells, v.Text(writer(unit))), append(c.keys, v.Value)
		} else {
			c.cells, c.keys = append(c.cells, "-"), append(c.keys, -1)
		}
	}
	if !any {
		return nil
	}
	return []column{c}
}

// depthColumns is whether queues with producers are kept short; none without
// any.
func (k *ranking) depthColumns() []column {
	fed := false
	col := columnsOf(k.entries)
	c := leftColumn(col("depth", 7, func(e *entry) string {
		if r := k.medianRun(e); r.Steady != nil {
			fed = true
			return r.Depth.Trend
		}
		return "-"
	}))
	if !fed {
		return nil
	}
	return []column{c}
}

// retryColumns are those of runs in which transactions were repeated; none
// where there are not any.
func (k *ranking) retryColumns() []column {
	var columns []column
	for _, c := range []struct {
		title string
		n     func(*result.Run) int64
	}{
		{"deadlocks", func(r *result.Run) int64 { return r.Deadlocks }},
		// Where every retry followed a deadlock, the column says nothing new.
		{"retries", func(r *result.Run) int64 {
			if r.Retries+r.Failures.Deadlock == r.Deadlocks {
				return 0
			}
			return r.Retries
		}},
	} {
		seen := false
		shown := columnsOf(k.entries)(c.title, 7, func(e *entry) string {
			var counts []float64
			for _, r := range e.runs {
				counts = append(counts, float64(c.n(r)))
				seen = seen || c.n(r) > 0
			}
			return amount.Grouped(int64(stats.Median(counts)))
		})
		if seen {
			columns = append(columns, shown)
		}
	}
	return columns
}
