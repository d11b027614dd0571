package report

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

func render(t testing.TB, format Format, f *result.File, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := format(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, f := range cases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "text/"+name+".txt", render(t, Text, f, Options{Unicode: true}))
			golden(t, "pgbench/"+name+".txt", render(t, Pgbench, f, Options{}))
			golden(t, "pgbench-old/"+name+".txt", render(t, Pgbench, f, Options{Compat: 15}))
		})
	}
	for name, o := range map[string]Options{
		"60-ascii": {Width: 60}, "40": {Width: 40, Unicode: true}, "200-color": {Width: 200, Unicode: true, Color: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "text/matrix-"+name+".txt", render(t, Text, matrix(), o))
		})
	}
}

// The pgbench block is for pgbench's parsers, and stays as it is; all other
// lines keep to the page.
func TestNoLineIsWiderThanThePage(t *testing.T) {
	t.Parallel()
	all := cases()
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Width: rapid.IntRange(0, 220).Draw(t, "width"), Unicode: rapid.Bool().Draw(t, "unicode"),
			Charts: rapid.Bool().Draw(t, "charts"),
		}
		name := rapid.SampledFrom([]string{"256-clients", "failed-audit", "drained", "interrupted", "statements", "everything", "matrix"}).Draw(t, "case")
		f := &result.File{Format: result.Format, Environment: testEnvironment}
		for i, r := range all[name].Runs {
			r := *r
			if i == 0 {
				r.Strategy = rapid.StringN(1, 60, 200).Draw(t, "strategy")
				r.Errors = []string{rapid.String().Draw(t, "error")}
			}
			f.Runs = append(f.Runs, &r)
		}
		exempt := map[string]bool{}
		for line := range strings.Lines(render2(t, Pgbench, f, o)) {
			exempt[line] = true
		}
		for line := range strings.Lines(render2(t, Text, f, o)) {
			if got := cells(strings.TrimSuffix(line, "\n")); got > o.width() && !exempt[line] {
				t.Fatalf("%d cells where there are %d: %q", got, o.width(), line)
			}
		}
	})
}

func render2(t *rapid.T, format Format, f *result.File, o Options) string {
	var b bytes.Buffer
	if err := format(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestColorOnlyWhereAskedFor(t *testing.T) {
	t.Parallel()
	f := cases()["failed-audit"]
	if s := render(t, Text, f, Options{Unicode: true}); strings.Contains(s, "\x1b") {
		t.Error("escape sequence without Options.Color")
	}
	colored := render(t, Text, f, Options{Unicode: true, Color: true})
	if !strings.HasPrefix(colored, "\x1b[1;31mAUDIT FAILED") {
		t.Errorf("the failed audit is not the first line in red: %.60q", colored)
	}
}

func TestNamesCannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	r := newRun("evil\x1b[2J\u202e", 2, 10, 1, 100, 0)
	r.Errors = []string{"first\nsecond\x07"}
	f := fileOf(r, r)
	f.Environment.ServerVersion, f.Environment.Args = "15\x1b[1m\x7f", []string{"\u009b2J"}
	r.Audit.OK, r.Audit.Problems = false, []string{"lost\x1b[2J"}
	r.Warnings = []string{"careful\u009b2J"}
	r.Params = result.Assign(map[string]string{"a\x1b": "b\u2066"})
	r.PerStatement = true
	r.Scripts[0].Name = "evil\x1b]0;title\x07.sql"
	r.Scripts[0].Statements = []result.Statement{{Text: "select '\x1b[31m';"}}
	for _, name := range OfRuns.Formats() {
		format, err := OfRuns.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		text := render(t, format, f, Options{})
		if i := strings.IndexAny(text, "\x1b\x07\x7f\u009b\u202e\u2066"); i >= 0 {
			t.Errorf("%s: control character in %q", name, text[max(0, i-20):min(len(text), i+20)])
		}
		if !slices.Contains([]string{"json", "html", "hgrm"}, name) && !strings.Contains(text, `evil\x1b`) && !strings.Contains(text, `evil\\x1b`) {
			t.Errorf("%s: the name is not shown escaped:\n%.500s", name, text)
		}
	}
	back, err := result.Read(strings.NewReader(render(t, JSON, f, Options{})))
	if err != nil || back.Runs[0].Strategy != r.Strategy || back.Runs[0].Warnings[0] != r.Warnings[0] {
		t.Errorf("the result file does not hold the names as they are: %v, %q", err, back.Runs[0].Strategy)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, name := range OfRuns.Formats() {
		if f, err := OfRuns.Lookup(name); err != nil || f == nil {
			t.Errorf("Lookup(%q): %v", name, err)
		}
	}
	_, err := OfRuns.Lookup("pgbnch")
	if err == nil || !strings.Contains(err.Error(), `did you mean "pgbench"?`) {
		t.Errorf("no nearest name in: %v", err)
	}
}

type brokenWriter struct{ error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.error }

func TestWriteErrorsAreReturned(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	f := matrix()
	for _, name := range OfRuns.Formats() {
		format, err := OfRuns.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := format(brokenWriter{broken}, f, Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
