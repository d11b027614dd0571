package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"qbench/internal/result"
)

// CompareFormat writes a comparison in one form.
type CompareFormat func(w io.Writer, r *result.Comparison, o Options) error

// compareFormats is the registry; the order is that of CompareNames.
var compareFormats = []struct {
	name   string
	format CompareFormat
}{
	{"text", CompareText},
	{"markdown", CompareMarkdown},
	{"json", CompareJSON},
	{"junit", CompareJUnit},
}

// CompareNames lists the formats of a comparison, the most used first.
func CompareNames() []string {
	names := make([]string, len(compareFormats))
	for i, f := range compareFormats {
		names[i] = f.name
	}
	return names
}

// LookupCompare finds a format of a comparison by name; for an unknown one the
// error names the nearest and all others.
func LookupCompare(name string) (CompareFormat, error) {
	for _, f := range compareFormats {
		if f.name == name {
			return f.format, nil
		}
	}
	names := CompareNames()
	nearest := slices.MinFunc(names, func(a, b string) int {
		return editDistance(name, a) - editDistance(name, b)
	})
	return nil, fmt.Errorf("unknown format of a comparison %q: did you mean %q? (one of %s)", name, nearest, strings.Join(names, ", "))
}

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
	// All tables have the same columns, so that they read as one.
	columns := compareColumns(r, r.Rows)
	for leftOut := 1; tableWidth(columns)-2 > p.width() && leftOut <= 4; leftOut++ {
		columns = without(columns, leftOut)
	}
	for i := 0; i < len(r.Rows); {
		first := i
		for i < len(r.Rows) && sameRow(&r.Rows[i], &r.Rows[first]) {
			i++
		}
		p.line("")
		p.wrap("", "  ", strong, rowName(r, first))
		if tableWidth(columns)-2 > p.width() {
			p.compareSentences(r, r.Rows[first:i])
		} else {
			p.compareTable(columns, r.Rows, first, i)
		}
	}
	if len(r.Rows) > 0 {
		p.line("")
		p.wrap("", "", plain, compareLegend(r))
	}
	return p.writeTo(w)
}

// compareSentences says of each row in words what no table of the page's width
// holds.
func (p *page) compareSentences(r *result.Comparison, rows []result.ComparisonRow) {
	for _, row := range rows {
		p.wrap(fmt.Sprintf("%s %s: ", decidesMark(row), metricLabel(row)), "    ", plain,
			fmt.Sprintf("%s to %s, typical ratio %s, %s", metricValue(row, row.BaseMedian), metricValue(row, row.NewMedian), ratioText(row.Ratio.Value), rowVerdict(r, row)))
	}
}

// compareTable draws the rows from first to before end.
func (p *page) compareTable(columns []column, rows []result.ComparisonRow, first, end int) {
	draw := func(text func(column) string, s style) {
		var b strings.Builder
		for i, c := range columns {
			pad := padRight
			if c.right {
				pad = padLeft
			}
			cell := text(c)
			// The first column brings its own margin, the last needs none.
			switch i {
			case 0:
				b.WriteString(pad(cell, c.width()))
			case len(columns) - 1:
				b.WriteString("  " + p.paint(s, cell))
			default:
				b.WriteString("  " + pad(cell, c.width()))
			}
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
	draw(func(c column) string { return c.title }, plain)
	for i := first; i < end; i++ {
		draw(func(c column) string { return c.cells[i] }, verdictStyle(rows[i].Verdict))
	}
}

// compareColumns are the columns of a table of rows, the verdict last.
func compareColumns(r *result.Comparison, rows []result.ComparisonRow) []column {
	of := func(title string, right bool, leftOut int, cell func(result.ComparisonRow) string) column {
		c := column{title: title, right: right, leftOut: leftOut}
		for _, row := range rows {
			c.cells = append(c.cells, clean(cell(row)))
		}
		return c
	}
	base, new := sideNames(r)
	return []column{
		of("  metric", false, 0, func(row result.ComparisonRow) string { return decidesMark(row) + " " + metricLabel(row) }),
		of(base, true, 3, func(row result.ComparisonRow) string { return metricValue(row, row.BaseMedian) }),
		of(new, true, 3, func(row result.ComparisonRow) string { return metricValue(row, row.NewMedian) }),
		of(r.SampleName()+"s", true, 2, func(row result.ComparisonRow) string { return samplesText(r, row) }),
		of("typical ratio", true, 0, func(row result.ComparisonRow) string { return ratioText(row.Ratio.Value) }),
		of(fmt.Sprintf("%.0f %% CI", 100*confidenceOf(r)), true, 4, intervalText),
		of("p", true, 1, func(row result.ComparisonRow) string { return pText(row.P) }),
		of("verdict", false, 0, func(row result.ComparisonRow) string { return rowVerdict(r, row) }),
	}
}
