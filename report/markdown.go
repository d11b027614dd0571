package report

import (
	"io"
	"strings"

	"qbench/internal/result"
)

// Markdown writes the ranking as a table in GitHub's dialect, for a pull
// request or a step summary: failed audits first, then the table, warnings and
// the environment. All columns are there; a web page scrolls.
func Markdown(w io.Writer, f *result.File, _ Options) error {
	p := newPage(Options{})
	k := rank(f.Runs)
	for i := range k.entries {
		for _, r := range k.entries[i].runs {
			switch AuditOf(r) {
			case AuditFailed:
				p.line("> **Audit failed: %s. Its numbers are invalid.**", markdown(describe(r)))
				for _, problem := range problems(r.Audit) {
					p.line("> - %s", markdown(problem))
				}
				p.line("")
			case AuditMissing:
				p.line("> **Not audited: %s. Its numbers are not proved.**", markdown(describe(r)))
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
	columns := k.columns()
	titles, rules := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		titles[i], rules[i] = c.title, "---"
		if c.right {
			rules[i] = "--:"
		}
	}
	p.line("| %s |", strings.Join(titles, " | "))
	p.line("| %s |", strings.Join(rules, " | "))
	for i := range k.entries {
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = markdown(c.cells[i])
		}
		p.line("| %s |", strings.Join(row, " | "))
	}
	p.markdownWarnings(f.Runs)
	p.line("")
	env := &f.Environment
	parts := []string{"PostgreSQL " + env.ServerVersion}
	if env.Disposable {
		parts[0] += ", started by qbench"
	}
	for _, s := range []string{strings.Join(pairs(env.Settings), ", "), hostText(env), "qbench " + env.QbenchVersion} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	p.line("%s", markdown(strings.Join(parts, "; ")))
	return p.writeTo(w)
}

func (p *page) markdownWarnings(runs []*result.Run) {
	for i, g := range groupWarnings(runs) {
		if i == 0 {
			p.line("")
		}
		p.line("- %s%s", markdown(g.text), markdown(g.which(len(runs))))
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
