package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"qbench/internal/result"

	"github.com/clipperhouse/displaywidth"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Table ranks the runs of a file in one table: by orders/s, with the ratio to
// the first. Repeats stand in one line, as median and range. Where the width
// does not hold all columns, those that are the same for all runs move above
// the table, and then the least needed are left out.
//
// This is the only file that knows tablewriter.
func Table(w io.Writer, f *result.File, o Options) error {
	p := newPage(o)
	if err := p.table(f.Runs); err != nil {
		return err
	}
	return p.writeTo(w)
}

// column is one column of the table. Its priority says how soon it is left
// out: 0 is never.
type column struct {
	title   string
	cells   []string
	right   bool
	leftOut int
	same    string // how to say above the table that all cells are equal
	name    bool   // may be cut
}

func (p *page) table(runs []*result.Run) error {
	if len(runs) == 0 {
		p.line("no runs")
		return nil
	}
	k := rank(runs)
	if k.warning != "" {
		p.wrap("warning: ", "         ", caution, k.warning)
	}
	for i := range k.entries {
		e := &k.entries[i]
		switch e.audit {
		case AuditFailed:
			p.wrap("", "  ", alarm, "AUDIT FAILED"+e.audit.shareIn(e.runs)+": "+e.title()+": numbers are invalid, not ranked")
		case AuditMissing:
			p.wrap("", "  ", alarm, "NOT AUDITED"+e.audit.shareIn(e.runs)+": "+e.title()+": numbers are not proved, not ranked")
		}
		if e.aborted.runs > 0 {
			p.wrap("", "  ", alarm, "ABORTED: "+e.title()+": "+e.aborted.text())
		}
	}
	columns, caption := p.fit(k.columns())
	if caption != "" {
		p.wrap("all runs: ", "  ", "", caption)
	}
	var drawn strings.Builder
	table := tablewriter.NewTable(&drawn,
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
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: alignments(columns)}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: alignments(columns)}),
	)
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	table.Header(titles)
	for i := range k.entries {
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = measurable(c.cells[i])
		}
		if err := table.Append(row); err != nil {
			return fmt.Errorf("draw table: %w", err)
		}
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("draw table: %w", err)
	}
	for line := range strings.Lines(drawn.String()) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
	return nil
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

func (k *ranking) columns() []column {
	n := len(k.entries)
	plainColumn := func(title string, right bool, leftOut int, cell func(*entry) string) column {
		c := column{title: title, right: right, leftOut: leftOut, cells: make([]string, n)}
		for i := range k.entries {
			c.cells[i] = cell(&k.entries[i])
		}
		return c
	}
	factor := func(title string, right bool, leftOut int, cell func(*entry) string, same string) column {
		c := plainColumn(title, right, leftOut, cell)
		if distinct := slices.Compact(slices.Clone(c.cells)); len(distinct) == 1 {
			c.same = fmt.Sprintf(same, distinct[0])
		}
		return c
	}
	scoreTitle, scoreSpread := "orders/s", func(e *entry) spread { return e.ordersPerS }
	if !k.byOrders {
		scoreTitle, scoreSpread = "tps", func(e *entry) spread { return e.tps }
	}
	columns := []column{
		plainColumn("#", true, 0, func(e *entry) string {
			if e.place == 0 {
				return "-"
			}
			return fmt.Sprint(e.place)
		}),
		names(plainColumn("strategy", false, 0, func(e *entry) string { return e.strategy })),
		names(factor("layout", false, 0, func(e *entry) string { return e.layout }, "layout %s")),
		factor("mode", false, 0, func(e *entry) string { return e.mode }, "mode %s"),
		factor("clients", true, 0, func(e *entry) string { return fmt.Sprint(e.clients) }, "%s clients"),
		plainColumn(scoreTitle, true, 0, func(e *entry) string { return rate(scoreSpread(e).median) }),
	}
	if k.repeats {
		columns = append(columns, plainColumn("min-max", true, 5, func(e *entry) string {
			s := scoreSpread(e)
			return rate(s.min) + "-" + rate(s.max)
		}), factor("runs", true, 4, func(e *entry) string { return fmt.Sprint(len(e.runs)) }, "%s runs each"))
	}
	columns = append(columns, plainColumn("ratio", true, 7, func(e *entry) string {
		if e.place == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", e.ratio)
	}))
	if k.byOrders {
		columns = append(columns,
			plainColumn("tps", true, 2, func(e *entry) string { return rate(e.tps.median) }),
			plainColumn("empty %", true, 3, func(e *entry) string { return fmt.Sprintf("%.1f", e.emptyPercent) }))
	}
	columns = append(columns, k.steadyColumns(plainColumn)...)
	columns = append(columns, k.retryColumns(plainColumn)...)
	if slices.ContainsFunc(k.entries, func(e entry) bool { return e.aborted.runs > 0 }) {
		columns = append(columns, plainColumn("aborted", true, lastLeftOut, func(e *entry) string { return e.aborted.worst() }))
	}
	return append(columns,
		plainColumn("p50 ms", true, 1, func(e *entry) string { return millis(e.p50.median) }),
		plainColumn("p99 ms", true, 6, func(e *entry) string { return millis(e.p99.median) }),
		factor("audit", false, lastLeftOut, func(e *entry) string { return e.audit.String() }, "audit %s"))
}

// names marks a column as one that may be cut.
func names(c column) column {
	c.name = true
	return c
}

// lastLeftOut is the highest column.leftOut.
const lastLeftOut = 8

// fit makes the table as narrow as the page, in the order of e.title() is missed
// least: equal columns move into the caption, long words are shortened,
// columns are left out, and at last names are cut.
func (p *page) fit(columns []column) ([]column, string) {
	caption := ""
	if tableWidth(columns) > p.width() && len(columns[0].cells) > 1 {
		columns, caption = hoist(columns)
	}
	for leftOut := 1; tableWidth(columns) > p.width() && leftOut <= lastLeftOut; leftOut++ {
		switch leftOut {
		case 3:
			abbreviate(columns)
		case 5:
			p.cutNames(columns, 12)
		}
		if tableWidth(columns) <= p.width() {
			break
		}
		columns = without(columns, leftOut)
	}
	p.cutNames(columns, 4)
	return columns, caption
}

// tableWidth counts a blank on each side of a cell, which is how the table is
// drawn.
func tableWidth(columns []column) int {
	width := 0
	for _, c := range columns {
		width += c.width() + 2
	}
	return width
}

func (c *column) width() int {
	width := cells(c.title)
	for _, s := range c.cells {
		width = max(width, cells(s))
	}
	return width
}

func hoist(columns []column) ([]column, string) {
	var kept []column
	var same []string
	for _, c := range columns {
		if c.same != "" {
			same = append(same, c.same)
		} else {
			kept = append(kept, c)
		}
	}
	return kept, strings.Join(same, ", ")
}

func without(columns []column, leftOut int) []column {
	var kept []column
	for _, c := range columns {
		if c.leftOut != leftOut {
			kept = append(kept, c)
		}
	}
	return kept
}

// abbreviate shortens qbench's own words to e.title() is still told apart.
func abbreviate(columns []column) {
	short := strings.NewReplacer("partitioned", "part", "unlogged", "unlog", "simple", "simp", "extended", "ext", "prepared", "prep", "pipelined", "pipe")
	for i := range columns {
		c := &columns[i]
		switch c.title {
		case "clients":
			c.title = "-c"
		case "layout", "mode":
			for j := range c.cells {
				c.cells[j] = short.Replace(c.cells[j])
			}
		}
	}
}

// cutNames shortens names, the longest first, down to least cells, as far as
// the page demands.
func (p *page) cutNames(columns []column, least int) {
	for tableWidth(columns) > p.width() {
		var widest *column
		for i := range columns {
			if c := &columns[i]; c.name && (widest == nil || c.width() > widest.width()) {
				widest = c
			}
		}
		width := widest.width() - 1
		if width < least {
			return
		}
		widest.title = truncate(widest.title, width, p.Unicode)
		for j := range widest.cells {
			widest.cells[j] = truncateMiddle(widest.cells[j], width, p.Unicode)
		}
	}
}
