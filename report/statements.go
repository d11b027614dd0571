package report

import (
	"fmt"
	"strconv"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// statementTable is what -r measured of a script.
type statementTable struct {
	title string
	table
}

// statements are the tables of the statements' latencies, of each configuration
// whose runs measured them.
func (k *ranking) statements() []statementTable {
	var out []statementTable
	for i := range k.entries {
		e := &k.entries[i]
		for n, s := range e.scripts() {
			title := "Statement latencies of " + e.title()
			if len(e.runs[0].Scripts) > 1 {
				title += fmt.Sprintf(", script %d: %s", n+1, s.Name)
			}
			if len(e.runs) > 1 {
				title += ", all repeats together"
			}
			if len(s.Statements) > 0 {
				out = append(out, statementTable{title, newStatementTable(s.Statements, fmt.Sprintf("statements-%d-%d", i+1, n+1))})
			}
		}
	}
	return out
}

// scripts are those of an entry under -r, the repeats' statements together.
func (e *entry) scripts() []result.Script {
	var out []result.Script
	for _, r := range e.runs {
		if !r.PerStatement {
			continue
		}
		for i := range r.Scripts {
			if i == len(out) {
				out = append(out, result.Script{Name: r.Scripts[i].Name})
			}
			for j, st := range r.Scripts[i].Statements {
				if j == len(out[i].Statements) {
					out[i].Statements = append(out[i].Statements, result.Statement{Text: st.Text, Group: st.Group})
				}
				sum := &out[i].Statements[j]
				if n := sum.Count + st.Count; n > 0 {
					sum.MeanMS = (sum.MeanMS*float64(sum.Count) + st.MeanMS*float64(st.Count)) / float64(n)
				}
				sum.Count += st.Count
				sum.Failures += st.Failures
				sum.Retries += st.Retries
			}
		}
	}
	return out
}

func newStatementTable(statements []result.Statement, id string) table {
	col := columnsOf(statements)
	count := func(title string, of func(*result.Statement) int64) column {
		c := col(title, 0, func(s *result.Statement) string { return amount.Grouped(of(s)) })
		for i := range statements {
			c.keys = append(c.keys, float64(of(&statements[i])))
		}
		return c
	}
	mean := col("mean ms", 0, func(s *result.Statement) string { return significant(s.MeanMS) })
	trips := false
	for i := range statements {
		mean.keys = append(mean.keys, statements[i].MeanMS)
		trips = trips || statements[i].Group > 0
	}
	at := 0
	columns := []column{
		col("#", 0, func(*result.Statement) string { at++; return strconv.Itoa(at) }),
		mean,
		count("failures", func(s *result.Statement) int64 { return s.Failures }),
		count("retries", func(s *result.Statement) int64 { return s.Retries }),
	}
	if trips {
		columns = append(columns, col("round trip", 0, func(s *result.Statement) string {
			if s.Group == 0 {
				return "-"
			}
			return strconv.Itoa(s.Group)
		}))
	}
	columns = append(columns, names(col("statement", 0, func(s *result.Statement) string { return s.Text })))
	return table{id: id, columns: columns}
}
