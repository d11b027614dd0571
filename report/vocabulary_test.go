package report

import (
	"bytes"
	"encoding/csv"
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"
)

// shape is text without digits, markup and line breaks: what formats wrap,
// escape and group is the same in it.
func shape(text string) string {
	text = strings.ReplaceAll(html.UnescapeString(text), `\`, "")
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("0123456789., \n\t\"", c) {
			return -1
		}
		return c
	}, text)
}

// No format loses a warning, of one run or of many.
func TestEveryFormatSaysEveryWarning(t *testing.T) {
	t.Parallel()
	files := cases()
	unsafe := cases()["drained"]
	unsafe.Environment.Settings = map[string]string{"fsync": "off"}
	more := cases()["drained"].Runs[0]
	more.Clients = 16
	unsafe.Runs = append(unsafe.Runs, more)
	for _, r := range unsafe.Runs {
		r.Warnings = Warnings(r, unsafe.Environment)
	}
	files["starved and unsafe"] = unsafe
	for name, f := range files {
		for _, format := range OfRuns.Formats() {
			var b bytes.Buffer
			if err := Render(&b, f, format, Options{}); err != nil {
				t.Fatal(err)
			}
			said := shape(b.String() + strings.Join(Omitted(f, format), "\n"))
			for _, r := range f.Runs {
				for _, w := range r.Warnings {
					if !strings.Contains(said, shape(w)) {
						t.Errorf("%s of %s does not say %q", format, name, w)
					}
				}
			}
		}
	}
	if got := Omitted(files["drained"], "text"); len(got) > 0 {
		t.Errorf("text has a place for all warnings: %q", got)
	}
}

// A metric is defined once: it is a column of the CSV, stands in the page's
// details where a run has it, and in the table where it says so.
func TestEveryMetricIsEverywhere(t *testing.T) {
	t.Parallel()
	f := cases()["everything"]
	f.Runs = append(f.Runs, cases()["fed"].Runs...)
	records, err := csv.NewReader(strings.NewReader(render(t, CSV, f, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	page, wide, markdown := render(t, HTML, f, Options{}), render(t, Table, f, Options{Width: 1000}), render(t, Markdown, f, Options{})
	for i := range result.Metrics {
		m := &result.Metrics[i]
		at := slices.Index(records[0], m.Name)
		if at < 0 {
			t.Errorf("%s is no column of the CSV", m.Name)
			continue
		}
		measured := false
		for j, r := range f.Runs {
			e, ok := m.Of(r)
			measured = measured || ok
			if want := e.Text(shortest); ok && records[j+1][at] != want || !ok && records[j+1][at] != "" {
				t.Errorf("%s of run %d is %q in the CSV, want %q", m.Name, j, records[j+1][at], want)
			}
		}
		if !measured {
			continue
		}
		if title := columnTitle(m); !strings.Contains(page, ">"+html.EscapeString(title)+"</th>") {
			t.Errorf("%s is not in the page", title)
		} else if m.InTable && (!strings.Contains(wide, title) || !strings.Contains(markdown, title)) {
			t.Errorf("%s is not in the table:\n%s", title, wide)
		}
	}
}

// What a script that measured its statements found, every page shows.
func TestStatementsAreInEveryPage(t *testing.T) {
	t.Parallel()
	f := cases()["statements"]
	again := cases()["statements"].Runs[0]
	again.Repeat = 2
	again.Scripts[0].Statements[3].MeanMS, again.Scripts[0].Statements[3].Failures = 0.8, 3
	f.Runs = append(f.Runs, again)
	for name, page := range map[string]string{"html": render(t, HTML, f, Options{}), "markdown": strings.ReplaceAll(render(t, Markdown, f, Options{}), `\`, "")} {
		for _, s := range f.Runs[0].Scripts[0].Statements {
			if text := strings.TrimPrefix(s.Text, `\`); !strings.Contains(strings.ReplaceAll(page, `\`, ""), strings.ReplaceAll(text, `\`, "")) {
				t.Errorf("%s has no statement %q", name, s.Text)
			}
		}
		if !strings.Contains(page, "0.700") || !strings.Contains(page, "all repeats together") {
			t.Errorf("%s: the mean of both repeats is not there", name)
		}
	}
	if page := render(t, Markdown, cases()["one-client"], Options{}); strings.Contains(page, "Statement") {
		t.Error("statements without -r")
	}
}

// Bounds are bounds in every format.
func TestUnknownQueueTimesSaySo(t *testing.T) {
	t.Parallel()
	f := cases()["fed"]
	s := f.Runs[1].Steady
	s.TimedWaiting, s.TimedUnfinished = 8_000, 8_000
	s.QueueTimeAtMost = &result.Bounds{Mean: math.Inf(1), P50: math.Inf(1), P90: math.Inf(1), P95: math.Inf(1), P99: math.Inf(1), P999: math.Inf(1), Max: math.Inf(1)}
	for name, want := range map[string]string{"text": "> 8,900", "table": "> 8,900", "markdown": `\> 8,900`, "html": "&gt; 8,900", "csv": "> 8900"} {
		var b bytes.Buffer
		if err := Render(&b, f, name, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s does not say %q:\n%s", name, want, b.String())
		}
	}
	text := strings.Join(strings.Fields(render(t, Text, f, Options{})), " ")
	if !strings.Contains(text, "8,000 orders were not taken at the end and counted with the age then") || strings.Contains(text, "in no percentile") {
		t.Errorf("how waiting orders count is not said:\n%s", text)
	}
}

// A report has one average, or says why pgbench's is another.
func TestOneAverage(t *testing.T) {
	t.Parallel()
	r := newRun("skip-locked", 4, 10, 1, 10_000, 2_000)
	r.ShowProgress = true
	if text := whyAverage(r); !strings.Contains(text, "is of all 10,000 transactions, the 2,000 empty ones included") {
		t.Error(text)
	}
	r.ShowProgress = false
	if text := whyAverage(r); !strings.Contains(text, "latency average above, 4 ms, is the clients' time divided by the number of transactions") {
		t.Error(text)
	}
	r.Failures.Deadlock = 5
	if text := whyAverage(r); !strings.Contains(text, "and of failed ones") {
		t.Error(text)
	}
	same := newRun("skip-locked", 4, 10, 1, 10_000, 0)
	same.ShowProgress = true
	if text := whyAverage(same); text != "" {
		t.Errorf("both are the same: %s", text)
	}
	text := render(t, Text, fileOf(r), Options{})
	if !strings.Contains(text, "of the 8,000 transactions that moved an order") || !strings.Contains(text, "of the 2,000 transactions that found no order") {
		t.Error(text)
	}
}

// Each kind of file is rendered as what it is.
func TestRenderByKind(t *testing.T) {
	t.Parallel()
	say := func(f *result.File, name string) string {
		t.Helper()
		var b bytes.Buffer
		if err := Render(&b, f, name, Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	runs, compared, capacity := matrix(), &result.File{Comparison: comparisons(t)["slower"]}, capacityReport(t)
	capacity.Runs = matrix().Runs
	compared.Runs = matrix().Runs
	for _, c := range []struct {
		f          *result.File
		name, want string
	}{
		{runs, "", "#  strategy"}, {fileOf(newRun("a", 1, 5, 1, 10, 0)), "", "transaction type: a"},
		{compared, "", "FAILED: slower in 1 of 3 comparisons"}, {compared, "junit", "<testsuites>"}, {compared, "csv", "strategy,workload,"},
		{capacity, "", "capacity of "}, {capacity, "html", "<h1>Capacity</h1>"}, {capacity, "table", "#  strategy"},
	} {
		if got := say(c.f, c.name); !strings.Contains(got, c.want) {
			t.Errorf("%q has no %q: %.300s", c.name, c.want, got)
		}
	}
	if err := Render(&bytes.Buffer{}, &result.File{Comparison: comparisons(t)["slower"]}, "csv", Options{}); err == nil {
		t.Error("csv of a comparison without runs")
	}
	if err := Render(&bytes.Buffer{}, runs, "junit", Options{}); err == nil {
		t.Error("junit of runs, which have no verdict")
	}
}
