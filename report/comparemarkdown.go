package report

import (
	"io"
	"strings"

	"qbench/internal/result"
)

// CompareMarkdown writes a comparison in GitHub's dialect, for a pull request or
// a step summary: the verdict as a heading, problems, and one table of all
// rows, the failing ones in bold.
func CompareMarkdown(w io.Writer, r *result.Comparison, _ Options) error {
	p := newPage(Options{})
	p.line("### %s %s", commandName(r), markdown(compareHeadline(r)))
	p.line("")
	p.line("%s against %s", markdown(r.New), markdown(r.Base))
	for i, problem := range r.Problems {
		if i == 0 {
			p.line("")
		}
		label, _ := problemLabel(problem)
		p.line("- **%s:** %s", label, markdown(problem.Text))
	}
	if len(r.Rows) == 0 {
		return p.writeTo(w)
	}
	t := compareTable(r)
	configuration := column{title: "configuration"}
	for i, row := range r.Rows {
		name := ""
		if i == 0 || !sameRow(&r.Rows[i-1], &row) {
			name = rowName(r, i)
		}
		configuration.cells = append(configuration.cells, name)
		// Only what fails the gate is in bold.
		if t.styles[i] = plain; r.Fails(row) {
			t.styles[i] = alarm
		}
	}
	t.columns = append([]column{configuration}, t.columns...)
	p.line("")
	p.markdownTable(t)
	p.line("")
	var legend []string
	for _, line := range compareLegend(r) {
		legend = append(legend, markdown(line))
	}
	p.line("<sub>%s</sub>", strings.Join(legend, "<br>"))
	return p.writeTo(w)
}
