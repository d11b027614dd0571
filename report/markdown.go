package report

import (
	"io"
	"strings"

	"qbench/internal/result"
)

// Markdown writes the ranking as a table in GitHub's dialect, for a pull
// request or a step summary: failed audits first, then the table, statements
// under -r, warnings and the environment. All columns are there; a web page
// scrolls.
func Markdown(w io.Writer, f *result.File, _ Options) error {
	p := newPage(Options{})
	k := rank(f.Runs)
	for i := range k.entries {
		for _, r := range k.entries[i].runs {
			switch AuditOf(r) {
			case AuditFailed:
				p.line("> **Audit failed: %s. Its numbers are invalid.**", markdown(k.names.describe(r)))
				for _, problem := range problems(r.Audit) {
					p.line("> - %s", markdown(problem))
				}
				p.line("")
			case AuditMissing:
				p.line("> **Not audited: %s. Its numbers are not proved.**", markdown(k.names.describe(r)))
				if r.Audit != nil && r.Audit.Reason != "" {
					p.line("> - %s", markdown(r.Audit.Reason))
				}
				p.line("")
			}
		}
		if e := &k.entries[i]; e.aborted.runs > 0 {
			p.line("> **Aborted: %s:** %s", markdown(e.title()), markdown(e.aborted.text()))
			p.line("")
		}
	}
	if k.warning != "" {
		p.line("> **Warning:** %s", markdown(k.warning))
		p.line("")
	}
	if len(k.entries) == 0 {
		p.line("No runs.")
		return p.writeTo(w)
	}
	p.markdownTable(k.table())
	for _, s := range k.statements() {
		p.line("")
		p.line("**%s**", markdown(s.title))
		p.line("")
		p.markdownTable(s.table)
	}
	p.markdownWarnings(groupWarnings(f.Runs, k.names), len(f.Runs))
	for _, e := range environments(f) {
		p.line("")
		parts := []string{serverText(e.Environment)}
		if e.runs != "" {
			parts[0] = "Runs " + e.runs + ": " + parts[0]
		}
		for _, s := range []string{strings.Join(pairs(e.Settings), ", "), hostText(e.Environment), "qbench " + e.QbenchVersion} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		p.line("%s", markdown(strings.Join(parts, "; ")))
	}
	return p.writeTo(w)
}

func (p *page) markdownWarnings(groups []*warningGroup, runs int) {
	if len(groups) > 0 {
		p.line("")
	}
	for _, g := range groups {
		p.line("- %s%s", markdown(g.text), markdown(g.which(runs)))
	}
}

// markdownTable writes a table with all its columns; rows of the style alarm have
// their painted cell in bold.
func (p *page) markdownTable(t table) {
	titles, rules := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i], rules[i] = markdown(strings.TrimSpace(c.title)), "---"
		if c.right {
			rules[i] = "--:"
		}
	}
	p.line("| %s |", strings.Join(titles, " | "))
	p.line("| %s |", strings.Join(rules, " | "))
	for i := range t.rows() {
		row := make([]string, len(t.columns))
		for j, c := range t.columns {
			row[j] = markdown(strings.TrimSpace(c.cells[i]))
			if c.painted && t.style(i) == alarm {
				row[j] = "**" + row[j] + "**"
			}
		}
		p.line("| %s |", strings.Join(row, " | "))
	}
}

// markdown escapes what GitHub would take for markup: names are user input.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range clean(text) {
		if strings.ContainsRune("\\`*_|<>[]&#~!@$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
