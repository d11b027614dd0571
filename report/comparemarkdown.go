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
	columns := compareColumns(r, r.Rows)
	titles, rules := []string{"configuration"}, []string{"---"}
	for _, c := range columns {
		rule := "---"
		if c.right {
			rule = "--:"
		}
		titles, rules = append(titles, strings.TrimSpace(c.title)), append(rules, rule)
	}
	p.line("")
	p.line("| %s |", strings.Join(titles, " | "))
	p.line("| %s |", strings.Join(rules, " | "))
	for i, row := range r.Rows {
		cells := make([]string, 0, len(titles))
		config := ""
		if i == 0 || !sameRow(&r.Rows[i-1], &row) {
			config = markdown(rowName(r, i))
		}
		cells = append(cells, config)
		for _, c := range columns {
			cells = append(cells, markdown(strings.TrimSpace(c.cells[i])))
		}
		if r.Fails(row) {
			last := len(cells) - 1
			cells[last] = "**" + cells[last] + "**"
		}
		p.line("| %s |", strings.Join(cells, " | "))
	}
	p.line("")
	p.line("<sub>%s</sub>", markdown(compareLegend(r)))
	return p.writeTo(w)
}
