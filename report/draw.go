package report

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// table draws a table as narrow as the page, below what is equal in all rows.
//
// This is the only file that knows tablewriter.
func (p *page) table(t table) error {
	fitted, caption := p.fit(t)
	if caption != "" {
		p.wrap("all rows: ", "  ", plain, caption)
	}
	head, rows, err := p.drawn(fitted)
	p.lines(head)
	p.lines(rows)
	return err
}

func (p *page) lines(lines []string) {
	for _, line := range lines {
		p.line("%s", line)
	}
}

// drawn is a table as lines: the heading with its rule, and a line per row.
func (p *page) drawn(t table) (head, rows []string, err error) {
	var b strings.Builder
	w := tablewriter.NewTable(&b,
		// By itself the library asks the environment for the language.
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: p.symbols(),
			Settings: tw.Settings{
				Separators: tw.Separators{ShowHeader: tw.On, BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		})),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: alignments(t.columns)}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: alignments(t.columns)}),
	)
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = measurable(c.title)
	}
	w.Header(titles)
	for i := range t.rows() {
		row := make([]string, len(t.columns))
		for j, c := range t.columns {
			row[j] = measurable(c.cells[i])
		}
		if err := w.Append(row); err != nil {
			return nil, nil, fmt.Errorf("draw table: %w", err)
		}
	}
	if err := w.Render(); err != nil {
		return nil, nil, fmt.Errorf("draw table: %w", err)
	}
	const headLines = 2 // titles and rule
	for line := range strings.Lines(b.String()) {
		// The library leaves a blank at either side of a cell.
		line = strings.TrimRight(strings.TrimPrefix(line, " "), " \n")
		if len(head) < headLines {
			if len(head) == 1 {
				line = cut(line, max(1, t.width()))
			}
			head = append(head, line)
			continue
		}
		rows = append(rows, p.painted(&t, len(rows), line))
	}
	return head, rows, nil
}

// painted is a line of a table with its last cell in the row's style.
func (p *page) painted(t *table, row int, line string) string {
	last := t.columns[len(t.columns)-1]
	if !last.painted {
		return line
	}
	cell := strings.TrimRight(measurable(last.cells[row]), " ")
	if before, ok := strings.CutSuffix(line, cell); ok {
		return before + p.paint(t.style(row), cell)
	}
	return line
}

// measurable replaces the few characters, such as emoji of several code points,
// that tablewriter takes for wider than a terminal does.
func measurable(text string) string {
	var b strings.Builder
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if twwidth.Width(g.Value()) == g.Width() {
			b.WriteString(g.Value())
		} else {
			b.WriteString(strings.Repeat("?", g.Width()))
		}
	}
	return b.String()
}

func (p *page) symbols() tw.Symbols {
	if p.Unicode {
		return tw.NewSymbols(tw.StyleLight)
	}
	return tw.NewSymbols(tw.StyleASCII)
}

func alignments(columns []column) []tw.Align {
	out := make([]tw.Align, len(columns))
	for i, c := range columns {
		out[i] = tw.AlignLeft
		if c.right {
			out[i] = tw.AlignRight
		}
	}
	return out
}
