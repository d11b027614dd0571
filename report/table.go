package report

import (
	"slices"
	"strings"
)

// table is a table before it is drawn. The same table is drawn for a terminal
// (draw.go), in Markdown (markdown.go) and in HTML (htmltable.go).
type table struct {
	id      string // of the HTML table, whose headings then sort it
	columns []column
	styles  []style // by row; none is plain
}

// column is one column of a table. Where a terminal is too narrow, columns
// are left out in the order of leftOut: 1 first, 0 never.
type column struct {
	title   string
	cells   []string
	right   bool
	leftOut int
	same    string    // how to say above the table that all cells are equal
	name    bool      // may be cut
	painted bool      // has the style of its row; in the last column only
	keys    []float64 // what HTML sorts by instead of the text
	bars    []float64 // lengths of bars before the text in HTML, 0 to 1
}

// lastLeftOut is the highest column.leftOut.
const lastLeftOut = 8

// columnsOf makes columns with numbers at the right from rows.
func columnsOf[R any](rows []R) func(title string, leftOut int, cell func(*R) string) column {
	return func(title string, leftOut int, cell func(*R) string) column {
		c := column{title: title, right: true, leftOut: leftOut, cells: make([]string, len(rows))}
		for i := range rows {
			c.cells[i] = cell(&rows[i])
		}
		return c
	}
}

// leftColumn aligns a column's texts at the left.
func leftColumn(c column) column {
	c.right = false
	return c
}

// names marks a column of names, which may be cut.
func names(c column) column {
	c.name, c.right = true, false
	return c
}

// alike says of a column how equal cells are named above the table; format
// takes the cell.
func alike(c column, format func(cell string) string) column {
	for _, cell := range c.cells {
		if cell != c.cells[0] {
			return c
		}
	}
	if len(c.cells) > 0 {
		c.same = format(c.cells[0])
	}
	return c
}

func (t *table) rows() int {
	if len(t.columns) == 0 {
		return 0
	}
	return len(t.columns[0].cells)
}

func (t *table) style(row int) style {
	if row < len(t.styles) {
		return t.styles[row]
	}
	return plain
}

// width counts two blanks between columns.
func (t *table) width() int {
	width := -2
	for _, c := range t.columns {
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

// fit makes the table as narrow as the page, in the order of what is missed
// least: equal columns move into the caption, long words are shortened,
// columns are left out, of equal ones the last first, and at last names are cut.
func (p *page) fit(t table) (table, string) {
	t.columns = copied(t.columns)
	caption := ""
	if t.width() > p.width() && t.rows() > 1 {
		t.columns, caption = hoist(t.columns)
	}
	for leftOut := 1; t.width() > p.width() && leftOut <= lastLeftOut; leftOut++ {
		switch leftOut {
		case 3:
			abbreviate(t.columns)
		case 5:
			p.cutNames(&t, 12)
		}
		for i := len(t.columns) - 1; i >= 0 && t.width() > p.width(); i-- {
			if t.columns[i].leftOut == leftOut {
				t.columns = slices.Delete(t.columns, i, i+1)
			}
		}
	}
	p.cutNames(&t, 4)
	return t, caption
}

// copied is columns with cells of their own, cleaned first: the widths would
// be those of other text.
func copied(columns []column) []column {
	out := make([]column, len(columns))
	for i, c := range columns {
		out[i] = c
		out[i].title, out[i].cells = clean(c.title), make([]string, len(c.cells))
		for j, text := range c.cells {
			out[i].cells[j] = clean(text)
		}
	}
	return out
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

// abbreviate shortens qbench's own words so far that they are still told apart.
func abbreviate(columns []column) {
	short := strings.NewReplacer("partitioned", "part", "unlogged", "unlog", "simple", "simp", "extended", "ext", "prepared", "prep", "pipelined", "pipe")
	for i := range columns {
		c := &columns[i]
		switch c.title {
		case "clients":
			c.title = "-c"
		case "typical ratio": // the legend says which
			c.title = "ratio"
		case "layout", "mode":
			for j := range c.cells {
				c.cells[j] = short.Replace(c.cells[j])
			}
		}
	}
}

// cutNames shortens names, the longest first, down to least cells, as far as
// the page demands.
func (p *page) cutNames(t *table, least int) {
	for t.width() > p.width() {
		var widest *column
		for i := range t.columns {
			if c := &t.columns[i]; c.name && (widest == nil || c.width() > widest.width()) {
				widest = c
			}
		}
		if widest == nil || widest.width() <= least {
			return
		}
		width := widest.width() - 1
		widest.title = truncate(widest.title, width, p.Unicode)
		for j := range widest.cells {
			widest.cells[j] = truncateMiddle(widest.cells[j], width, p.Unicode)
		}
	}
}
