package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"qbench/internal/printable"
)

// page collects lines for a terminal. They are written at once at the end, so
// that an error half-way leaves no half of a report.
type page struct {
	strings.Builder
	Options
}

func newPage(o Options) *page { return &page{Options: o} }

func (p *page) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// style is an ANSI colour; each has one meaning throughout the reports.
type style string

const (
	plain   style = ""
	alarm   style = "1;31" // invalid numbers
	caution style = "33"   // warnings
	good    style = "32"   // a proof that holds
	strong  style = "1"    // the number that was asked for
)

func (p *page) paint(s style, text string) string {
	if !p.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// labelWidth is where the values of labelled lines begin.
const labelWidth = 14

// labelled writes "label   text", the text wrapped below itself.
func (p *page) labelled(label, format string, args ...any) {
	p.wrap(fmt.Sprintf("%-*s", labelWidth, label), strings.Repeat(" ", labelWidth), plain, fmt.Sprintf(format, args...))
}

// wrap writes text at the page's width, the first line after first, the others
// after rest, each painted by itself. A word that is too long for a line, such
// as a path, is cut into pieces: no line is wider than the page.
func (p *page) wrap(first, rest string, s style, text string) {
	prefix := first
	line := ""
	flush := func() {
		p.line("%s%s", prefix, p.paint(s, line))
		prefix, line = rest, ""
	}
	for _, word := range words(clean(text)) {
		for {
			room := p.width() - cells(prefix) - cells(line)
			if line != "" {
				room--
			}
			if cells(word) <= room {
				break
			}
			if line != "" {
				flush()
				continue
			}
			head := cut(word, room)
			line, word = head, word[len(head):]
			flush()
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		flush()
	}
}

// words splits text where a line may end, which is not between a number and
// its unit.
func words(text string) []string {
	var out []string
	for _, word := range strings.Fields(text) {
		if n := len(out); n > 0 && isUnit(word) && strings.ContainsAny(out[n-1][len(out[n-1])-1:], "0123456789") {
			out[n-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func isUnit(word string) bool {
	switch strings.TrimRight(word, ",;:.)") {
	case "%", "s", "ms", "us", "µs", "MiB", "GiB":
		return true
	}
	return false
}

// heading writes a line that sets runs apart.
func (p *page) heading(text string) {
	rule := "="
	if p.Unicode {
		rule = "━"
	}
	text = truncate(clean(text), p.width()-6, p.Unicode)
	fill := max(2, p.width()-cells(text)-4)
	p.line("%s%s %s %s", rule, rule, p.paint(strong, text), strings.Repeat(rule, fill))
}

// cells is the width of text on a terminal.
func cells(text string) int { return displaywidth.String(text) }

// cut returns the longest beginning of text that fits into width cells, and at
// least one character of it.
func cut(text string, width int) string {
	end := 0
	g := displaywidth.StringGraphemes(text)
	for g.Next() {
		width -= g.Width()
		if width < 0 && end > 0 {
			break
		}
		end += len(g.Value())
	}
	return text[:end]
}

// truncate shortens text to width cells, with a mark where something is
// missing.
func truncate(text string, width int, unicodeMark bool) string {
	if cells(text) <= width {
		return text
	}
	mark := "~"
	if unicodeMark {
		mark = "…"
	}
	return cut(text, width-1) + mark
}

// truncateMiddle shortens a name to width cells and keeps both ends: the names
// of strategies differ at either.
func truncateMiddle(text string, width int, unicodeMark bool) string {
	total := cells(text)
	if total <= width || width < 4 {
		return truncate(text, width, unicodeMark)
	}
	mark := "~"
	if unicodeMark {
		mark = "…"
	}
	head := cut(text, (width-1)/2)
	tail := text[len(head):]
	for g := displaywidth.StringGraphemes(tail); cells(head)+1+cells(tail) > width && g.Next(); {
		tail = tail[len(g.Value()):]
	}
	return head + mark + tail
}

// padLeft and padRight fill up to width cells; fmt counts runes.
func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(text))) + text
}

func padRight(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-cells(text)))
}

// clean is text of others on one line, fit for a terminal.
func clean(text string) string { return printable.Line(text) }

// verbatim writes a line of pgbench's form, which is neither wrapped nor
// painted; it holds names of files and, under -r, statements.
func (p *page) verbatim(format string, args ...any) {
	p.line("%s", printable.Text(fmt.Sprintf(format, args...)))
}
