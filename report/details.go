package report

import (
	"strconv"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// metricTable is the metrics of one group, a line per run.
type metricTable struct {
	title string
	table
}

// metricTables are all metrics of all runs, by group; a metric that no run has
// is left out.
func metricTables(runs []*result.Run, names naming) []metricTable {
	var out []metricTable
	var last result.Group
	for i := range result.Metrics {
		m := &result.Metrics[i]
		c, ok := metricColumn(runs, m)
		if !ok {
			continue
		}
		if m.Group != last {
			id := "details-" + strconv.Itoa(len(out)+1)
			if len(out) == 0 {
				id = "runs"
			}
			title := strings.ToUpper(string(m.Group[:1])) + string(m.Group[1:])
			out = append(out, metricTable{title, table{id: id, columns: identity(runs, names), styles: validity(runs)}})
			last = m.Group
		}
		t := &out[len(out)-1]
		t.columns = append(t.columns, c)
	}
	return out
}

// metricColumn is a metric of each run; false where none has it.
func metricColumn(runs []*result.Run, m *result.Metric) (column, bool) {
	c, any := column{title: columnTitle(m), right: true}, false
	for _, r := range runs {
		v, ok := m.Of(r)
		any = any || ok
		switch {
		case !ok:
			c.cells, c.keys = append(c.cells, "-"), append(c.keys, -1)
		default:
			c.cells, c.keys = append(c.cells, v.Text(writer(m.Unit))), append(c.keys, v.Value)
		}
	}
	return c, any
}

// identity are the columns that name runs.
func identity(runs []*result.Run, names naming) []column {
	col := columnsOf(runs)
	number := func(title string, of func(*result.Run) int) column {
		c := col(title, 0, func(r **result.Run) string { return strconv.Itoa(of(*r)) })
		for _, r := range runs {
			c.keys = append(c.keys, float64(of(r)))
		}
		return c
	}
	return []column{
		leftColumn(col("strategy", 0, func(r **result.Run) string { return names.strategy(*r) })),
		leftColumn(col("layout", 0, func(r **result.Run) string { return (*r).LayoutName() })),
		leftColumn(col("mode", 0, func(r **result.Run) string { return (*r).Mode })),
		number("clients", func(r *result.Run) int { return r.Clients }),
		number("repeat", func(r *result.Run) int { return r.Repeat }),
	}
}

// validity marks the runs whose numbers mean nothing.
func validity(runs []*result.Run) []style {
	out := make([]style, len(runs))
	for i, r := range runs {
		if !AuditOf(r).Proved() {
			out[i] = alarm
		}
	}
	return out
}

// auditTable is the counts of each run's audit.
func auditTable(runs []*result.Run, names naming) table {
	t := table{id: "audit", styles: validity(runs)}
	state := leftColumn(columnsOf(runs)("audit", 0, func(r **result.Run) string { return AuditOf(*r).String() }))
	state.painted = true
	t.columns = append(identity(runs, names), state)
	for _, count := range []struct {
		title string
		of    func(*result.Audit) int64
	}{
		{"seeded", func(a *result.Audit) int64 { return a.Seeded }},
		{"enqueued", func(a *result.Audit) int64 { return a.Enqueued }},
		{"processed", func(a *result.Audit) int64 { return a.Processed }},
		{"remaining", func(a *result.Audit) int64 { return a.Remaining }},
		{"acknowledged", func(a *result.Audit) int64 { return a.Acknowledged }},
		{"in doubt", func(a *result.Audit) int64 { return a.InDoubt }},
		{"lost", func(a *result.Audit) int64 { return a.Lost }},
		{"duplicated", func(a *result.Audit) int64 { return a.Duplicated }},
		{"both", func(a *result.Audit) int64 { return a.Both }},
		{"foreign", func(a *result.Audit) int64 { return a.Foreign }},
	} {
		c := column{title: count.title, right: true}
		for _, r := range runs {
			if !r.Audit.Made() {
				c.cells, c.keys = append(c.cells, "-"), append(c.keys, -1)
				continue
			}
			n := count.of(r.Audit)
			c.cells, c.keys = append(c.cells, amount.Grouped(n)), append(c.keys, float64(n))
		}
		t.columns = append(t.columns, c)
	}
	return t
}
