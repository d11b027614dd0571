package report

import (
	"fmt"
	"io"
	"strings"

	"qbench/internal/nearest"
	"qbench/internal/result"
)

// Format writes what a result file holds in one form.
type Format func(w io.Writer, f *result.File, o Options) error

// formats is the registry, for runs, comparisons and capacity alike; the order
// is that of [Kind.Formats]. A kind that a format cannot show is nil there.
//
// A format without notes has no place for warnings, see [Omitted].
var formats = []struct {
	name                       string
	runs, comparison, capacity Format
	noNotes                    bool
}{
	{name: "text", runs: Text, comparison: ofComparison(CompareText), capacity: Capacity},
	{name: "pgbench", runs: Pgbench, noNotes: true},
	{name: "table", runs: Table},
	{name: "markdown", runs: Markdown, comparison: ofComparison(CompareMarkdown), capacity: CapacityMarkdown},
	{name: "csv", runs: CSV},
	{name: "json", runs: JSON, comparison: JSON, capacity: JSON},
	{name: "junit", comparison: ofComparison(CompareJUnit)},
	{name: "hgrm", runs: HGRM},
	{name: "benchfmt", runs: Benchfmt},
	{name: "html", runs: HTML, capacity: CapacityHTML},
}

// Kind is what a result file is about.
type Kind int

// The kinds of result files.
const (
	OfRuns Kind = iota
	OfComparison
	OfCapacity
)

// KindOf tells what a file is about: the verdict where it holds one, and the
// runs otherwise.
func KindOf(f *result.File) Kind {
	switch {
	case f.Comparison != nil:
		return OfComparison
	case f.AllCapacities() != nil:
		return OfCapacity
	}
	return OfRuns
}

// Formats lists the names of the formats for a kind, the most used first.
func (k Kind) Formats() []string {
	var names []string
	for i := range formats {
		if k.format(i) != nil {
			names = append(names, formats[i].name)
		}
	}
	return names
}

func (k Kind) format(i int) Format {
	return [...]Format{formats[i].runs, formats[i].comparison, formats[i].capacity}[k]
}

// Lookup finds a format by name; for an unknown one the error names the nearest
// and all others.
func (k Kind) Lookup(name string) (Format, error) {
	for i := range formats {
		if formats[i].name == name && k.format(i) != nil {
			return k.format(i), nil
		}
	}
	names := k.Formats()
	return nil, fmt.Errorf("unknown report format %q%s (one of %s)", name, nearest.DidYouMean(name, names), strings.Join(names, ", "))
}

// Default is the format that is used where none is named: several runs are
// shown side by side.
func (k Kind) Default(f *result.File) string {
	if k == OfRuns && len(f.Runs) > 1 {
		return "table"
	}
	return "text"
}

// Render writes a file in the named format, "" for the default one. A format
// that cannot show a comparison or a capacity, such as csv, shows the runs that
// the file holds.
func Render(w io.Writer, f *result.File, name string, o Options) error {
	kind := KindOf(f)
	if name == "" {
		name = kind.Default(f)
	}
	format, err := kind.Lookup(name)
	if err != nil && len(f.Runs) > 0 {
		if ofRuns, e := OfRuns.Lookup(name); e == nil {
			format, err = ofRuns, nil
		}
	}
	if err != nil {
		return err
	}
	return format(w, f, o)
}

// Omitted is the warnings about a file's runs that the named format leaves out,
// because it prints exactly what another program prints: who renders it says
// them elsewhere.
func Omitted(f *result.File, name string) []string {
	var out []string
	for i := range formats {
		if formats[i].name != name || !formats[i].noNotes {
			continue
		}
		k := rank(f.Runs)
		if k.warning != "" {
			out = append(out, k.warning)
		}
		for _, g := range groupWarnings(f.Runs, k.names) {
			out = append(out, g.text+g.which(len(f.Runs)))
		}
	}
	return out
}

// ofComparison makes a format of what writes a comparison.
func ofComparison(write func(w io.Writer, c *result.Comparison, o Options) error) Format {
	return func(w io.Writer, f *result.File, o Options) error { return write(w, f.Comparison, o) }
}

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
