package report

import (
	"fmt"
	"io"

	"qbench/internal/result"
)

// CompareText writes the verdict, what speaks against believing it, and a table
// per configuration. No line is wider than Options.Width.
func CompareText(w io.Writer, r *result.Comparison, o Options) error {
	p := newPage(o)
	p.wrap("", "  ", verdictStyle(r.Verdict), compareHeadline(r))
	base, new := sideNames(r)
	p.labelled(base, "%s", r.Base)
	p.labelled(new, "%s", r.New)
	for _, problem := range r.Problems {
		label, s := problemLabel(problem)
		p.wrap(label+": ", "  ", s, problem.Text)
	}
	// One table for all configurations, so that its parts read as one.
	t, _ := p.fit(compareTable(r))
	head, lines, err := p.drawn(t)
	if err != nil {
		return err
	}
	for i := 0; i < len(r.Rows); {
		first := i
		for i < len(r.Rows) && sameRow(&r.Rows[first], &r.Rows[i]) {
			i++
		}
		p.line("")
		p.wrap("", "  ", strong, rowName(r, first))
		if t.width() > p.width() {
			p.compareSentences(r, r.Rows[first:i])
			continue
		}
		p.lines(head)
		p.lines(lines[first:i])
	}
	if len(r.Rows) > 0 {
		p.line("")
		for _, line := range compareLegend(r) {
			p.wrap("", "  ", plain, line)
		}
	}
	return p.writeTo(w)
}

// compareSentences says of each row in words what no table of the page's width
// holds.
func (p *page) compareSentences(r *result.Comparison, rows []result.ComparisonRow) {
	for _, row := range rows {
		p.wrap(fmt.Sprintf("%s %s: ", decidesMark(row), metricLabel(row)), "    ", plain,
			fmt.Sprintf("%s to %s, typical ratio %s, %s", metricValue(row, row.BaseMedian), metricValue(row, row.NewMedian), ratioText(row.Ratio.Value), row.Text(r.SampleName())))
	}
}

// compareTable is the rows as a table, the verdict last.
func compareTable(r *result.Comparison) table {
	col := columnsOf(r.Rows)
	base, new := sideNames(r)
	verdict := leftColumn(col("verdict", 0, func(row *result.ComparisonRow) string { return row.Text(r.SampleName()) }))
	verdict.painted = true
	t := table{columns: []column{
		leftColumn(col("  metric", 0, func(row *result.ComparisonRow) string { return decidesMark(*row) + " " + metricLabel(*row) })),
		col(base, 3, func(row *result.ComparisonRow) string { return metricValue(*row, row.BaseMedian) }),
		col(new, 3, func(row *result.ComparisonRow) string { return metricValue(*row, row.NewMedian) }),
		col(r.SampleName()+"s", 2, func(row *result.ComparisonRow) string { return samplesText(r, *row) }),
		col("typical ratio", 0, func(row *result.ComparisonRow) string { return ratioText(row.Ratio.Value) }),
		col(fmt.Sprintf("%.0f%% CI", 100*confidenceOf(r)), 4, func(row *result.ComparisonRow) string { return intervalText(*row) }),
		col("p", 1, func(row *result.ComparisonRow) string { return pText(row.P) }),
		verdict,
	}}
	for _, row := range r.Rows {
		t.styles = append(t.styles, verdictStyle(row.Verdict))
	}
	return t
}
