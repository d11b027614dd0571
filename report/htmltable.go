package report

import "strconv"

// htmlTable is a table as page/table.html takes it.
type htmlTable struct {
	ID     string // "" is a table that is not sorted
	Titles []htmlCell
	Rows   []htmlRow
}

type htmlRow struct {
	Invalid bool
	Cells   []htmlCell
}

type htmlCell struct {
	Text  string
	Right bool
	Key   string // what is sorted by; "" is the text
	Bar   string // length in per cent; "" is none
	State bool   // has the colour of the row's state
}

func newHTMLTable(t table) *htmlTable {
	out := &htmlTable{ID: t.id, Rows: make([]htmlRow, t.rows())}
	for _, c := range t.columns {
		out.Titles = append(out.Titles, htmlCell{Text: c.title, Right: c.right})
		for i, text := range c.cells {
			cell := htmlCell{Text: text, Right: c.right && c.bars == nil, State: c.painted}
			if c.keys != nil {
				cell.Key = strconv.FormatFloat(c.keys[i], 'g', -1, 64)
			}
			if c.bars != nil && c.bars[i] > 0 {
				cell.Bar = strconv.FormatFloat(100*c.bars[i], 'f', 1, 64) + "%"
			}
			out.Rows[i].Cells = append(out.Rows[i].Cells, cell)
		}
	}
	for i := range out.Rows {
		out.Rows[i].Invalid = t.style(i) == alarm
	}
	return out
}
