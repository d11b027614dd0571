package report

import (
	"fmt"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// sweepColumns is a sweep by client count.
func sweepColumns(s *result.Sweep) []column {
	col := columnsOf(s.Rows)
	return []column{
		col("clients", 0, func(r *result.SweepRow) string { return fmt.Sprint(r.Clients) }),
		col("orders/s", 0, func(r *result.SweepRow) string { return rate(r.OrdersPerS.Value) }),
		col("+- %", 0, func(r *result.SweepRow) string { return halfWidth(r.OrdersPerS) }),
		col("p50 ms", 4, func(r *result.SweepRow) string { return millis(r.P50MS) }),
		col("p99 ms", 5, func(r *result.SweepRow) string { return millis(r.P99MS) }),
		col("empty %", 2, func(r *result.SweepRow) string { return fmt.Sprintf("%.1f", 100*r.EmptyShare) }),
		col("CPU us", 1, func(r *result.SweepRow) string { return fmt.Sprintf("%.1f", 1e6*r.CPUPerOrder) }),
		col("errors", 3, func(r *result.SweepRow) string { return amount.Grouped(r.Errors) }),
		names(leftColumn(col("", 0, func(r *result.SweepRow) string { return mark(s, r.Clients) }))),
	}
}

// contenderColumns is a comparison, the best first.
func contenderColumns(c *result.CapacityRanking) []column {
	col := columnsOf(c.Contenders)
	return []column{
		names(leftColumn(col("strategy", 0, func(k *result.Contender) string {
			if k.Layout != "" {
				return k.Name + ", " + k.Layout
			}
			return k.Name
		}))),
		col("orders/s", 0, func(k *result.Contender) string { return known(k.Rate.Value, rate) }),
		col("workers", 1, func(k *result.Contender) string { return fmt.Sprint(k.Workers) }),
		col("p99 ms", 2, func(k *result.Contender) string { return known(k.P99MS, millis) }),
		col("CPU us", 3, func(k *result.Contender) string {
			return known(1e6*k.CPUPerOrder, func(us float64) string { return fmt.Sprintf("%.1f", us) })
		}),
		leftColumn(col("", 0, func(k *result.Contender) string {
			if k.Excluded != "" {
				return "excluded"
			}
			return ""
		})),
	}
}

// known writes a dash for what was not measured.
func known(v float64, write func(float64) string) string {
	if v == 0 {
		return "-"
	}
	return write(v)
}

func halfWidth(e result.Estimate) string {
	if !e.Bounded() {
		return "?"
	}
	return fmt.Sprintf("%.1f", 100*e.Relative())
}

// mark names what is special about a count.
func mark(s *result.Sweep, clients int) string {
	var marks []string
	if clients == s.Recommended {
		marks = append(marks, "recommended")
	}
	if clients == s.Best {
		marks = append(marks, "best")
	}
	if s.WorseFrom > 0 && clients >= s.WorseFrom {
		marks = append(marks, "worse")
	}
	return strings.Join(marks, ", ")
}

// columnsOf makes columns with numbers at the right from rows.
func columnsOf[R any](rows []R) func(title string, leftOut int, cell func(*R) string) column {
	return func(title string, leftOut int, cell func(*R) string) column {
		c := column{title: title, right: true, leftOut: leftOut}
		for i := range rows {
			c.cells = append(c.cells, cell(&rows[i]))
		}
		return c
	}
}

func leftColumn(c column) column {
	c.right = false
	return c
}

// capacityLeftOut is the highest column.leftOut above.
const capacityLeftOut = 5

// plainTable draws columns two blanks apart, without those that the page has
// no room for.
func (p *page) plainTable(columns []column) {
	for i := range columns {
		for j, cell := range columns[i].cells {
			columns[i].cells[j] = clean(cell) // first, or the widths were those of other text
		}
	}
	for leftOut := 1; tableWidth(columns) > p.width() && leftOut <= capacityLeftOut; leftOut++ {
		columns = without(columns, leftOut)
	}
	p.cutNames(columns, 4)
	row := func(cell func(c *column) string) string {
		var parts []string
		for i := range columns {
			c := &columns[i]
			if c.right {
				parts = append(parts, padLeft(cell(c), c.width()))
			} else {
				parts = append(parts, padRight(cell(c), c.width()))
			}
		}
		return strings.TrimRight(strings.Join(parts, "  "), " ")
	}
	p.line("%s", row(func(c *column) string { return c.title }))
	for i := range columns[0].cells {
		p.line("%s", row(func(c *column) string { return c.cells[i] }))
	}
}

func (p *page) markdownTable(columns []column) {
	titles, rules := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		titles[i], rules[i] = c.title, "---"
		if c.right {
			rules[i] = "--:"
		}
	}
	p.line("| %s |", strings.Join(titles, " | "))
	p.line("| %s |", strings.Join(rules, " | "))
	for i := range columns[0].cells {
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = markdown(c.cells[i])
		}
		p.line("| %s |", strings.Join(row, " | "))
	}
}
