package report

import (
	"fmt"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// sweepTable is a sweep by client count.
func sweepTable(s *result.Sweep) table {
	col := columnsOf(s.Rows)
	return table{columns: []column{
		col("clients", 0, func(r *result.SweepRow) string { return fmt.Sprint(r.Clients) }),
		col("orders/s", 0, func(r *result.SweepRow) string { return significant(r.OrdersPerS.Value) }),
		col("+- %", 0, func(r *result.SweepRow) string { return halfWidth(r.OrdersPerS) }),
		col("p50 ms", 4, func(r *result.SweepRow) string { return significant(r.P50MS) }),
		col("p99 ms", 5, func(r *result.SweepRow) string { return significant(r.P99MS) }),
		col("empty %", 2, func(r *result.SweepRow) string { return significant(100 * r.EmptyShare) }),
		col("CPU us", 1, func(r *result.SweepRow) string { return significant(1e6 * r.CPUPerOrder) }),
		col("errors", 3, func(r *result.SweepRow) string { return amount.Grouped(r.Errors) }),
		names(leftColumn(col("", 0, func(r *result.SweepRow) string { return mark(s, r.Clients) }))),
	}}
}

// contenderTable is a ranking, the best first.
func contenderTable(c *result.CapacityRanking) table {
	col := columnsOf(c.Contenders)
	return table{columns: []column{
		names(leftColumn(col("strategy", 0, func(k *result.Contender) string {
			if k.Layout != "" {
				return k.Name + ", " + k.Layout
			}
			return k.Name
		}))),
		col("orders/s", 0, func(k *result.Contender) string { return known(k.Rate.Value, significant) }),
		col("workers", 1, func(k *result.Contender) string { return fmt.Sprint(k.Workers) }),
		col("p99 ms", 2, func(k *result.Contender) string { return known(k.P99MS, significant) }),
		col("CPU us", 3, func(k *result.Contender) string {
			return known(1e6*k.CPUPerOrder, significant)
		}),
		leftColumn(col("", 0, func(k *result.Contender) string {
			if k.Excluded != "" {
				return "excluded"
			}
			return ""
		})),
	}}
}

// known writes a dash for what was not measured.
func known(v float64, write func(float64) string) string {
	if v == 0 {
		return "-"
	}
	return write(v)
}

// halfWidth is half the interval as a percentage of the value.
func halfWidth(e result.Estimate) string {
	if !e.Bounded() {
		return "?"
	}
	return significant(100 * e.Relative())
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
