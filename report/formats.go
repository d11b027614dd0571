package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"qbench/internal/result"
)

// Format writes a result file in one form.
type Format func(w io.Writer, f *result.File, o Options) error

// Options say what the output can show. The zero value is a dumb terminal of
// 80 columns.
type Options struct {
	Width   int  // columns; 0 is 80, and fewer than 40 are treated as 40
	Color   bool // ANSI colours
	Unicode bool // block and line characters; plain ASCII otherwise
	Charts  bool // text charts over time and percentiles
	Compat  int  // PostgreSQL version whose pgbench report is printed; 0 is 18
}

const (
	defaultWidth = 80
	minWidth     = 40
	latestCompat = 18
)

func (o Options) width() int {
	if o.Width == 0 {
		return defaultWidth
	}
	return max(o.Width, minWidth)
}

func (o Options) compat() int {
	if o.Compat == 0 {
		return latestCompat
	}
	return o.Compat
}

// formats is the registry; the order is that of Names.
var formats = []struct {
	name   string
	format Format
}{
	{"text", Text},
	{"pgbench", Pgbench},
	{"table", Table},
	{"markdown", Markdown},
	{"csv", CSV},
	{"json", JSON},
	{"hgrm", HGRM},
	{"benchfmt", Benchfmt},
	{"html", HTML},
}

// Names lists the formats, the most used first.
func Names() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Lookup finds a format by name; for an unknown one the error names the
// nearest and all others.
func Lookup(name string) (Format, error) {
	for _, f := range formats {
		if f.name == name {
			return f.format, nil
		}
	}
	names := Names()
	nearest := slices.MinFunc(names, func(a, b string) int {
		return editDistance(name, a) - editDistance(name, b)
	})
	return nil, fmt.Errorf("unknown report format %q: did you mean %q? (one of %s)", name, nearest, strings.Join(names, ", "))
}

// editDistance is the Levenshtein distance in bytes (Wagner and Fischer's
// algorithm, with one row kept).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			substitute := diagonal
			if a[i-1] != b[j-1] {
				substitute++
			}
			diagonal = row[j]
			row[j] = min(substitute, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
