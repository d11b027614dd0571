package report

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

func TestGoldenOfOtherFormats(t *testing.T) {
	t.Parallel()
	for name, f := range cases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "markdown/"+name+".md", render(t, Markdown, f, Options{}))
			golden(t, "csv/"+name+".csv", render(t, CSV, f, Options{}))
			golden(t, "benchfmt/"+name+".txt", render(t, Benchfmt, f, Options{}))
		})
	}
	for name, format := range map[string]string{"one-client": "hgrm", "zero": "hgrm", "scripts": "charts", "256-clients": "charts"} {
		f := cases()[name]
		if format == "hgrm" {
			golden(t, "hgrm/"+name+".hgrm", render(t, HGRM, f, Options{}))
		} else {
			golden(t, "charts/"+name+".txt", render(t, Text, f, Options{Charts: true, Unicode: true}))
			golden(t, "charts/"+name+"-ascii-60.txt", render(t, Text, f, Options{Charts: true, Width: 60}))
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	t.Parallel()
	f := matrix()
	f.Runs[0].Strategy = "a,\"b\"\nc"
	records, err := csv.NewReader(strings.NewReader(render(t, CSV, f, Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != len(f.Runs)+1 {
		t.Fatalf("%d lines for %d runs", len(records), len(f.Runs))
	}
	at := func(i int, name string) string { return records[i+1][slices.Index(records[0], name)] }
	for i, r := range f.Runs {
		if got := at(i, "strategy"); got != r.Strategy {
			t.Errorf("strategy %q, want %q", got, r.Strategy)
		}
		if got, err := strconv.ParseFloat(at(i, "p99_9"), 64); err != nil || got != r.Latency.P999 {
			t.Errorf("p99.9 %v, want %v (%v)", got, r.Latency.P999, err)
		}
		if got := at(i, "audit_ok"); got != strconv.FormatBool(r.Audit.OK) {
			t.Errorf("audit %q, want %v", got, r.Audit.OK)
		}
	}
}

// A spreadsheet runs formulas; CSV has no other way to say that a cell is text.
func TestCSVHoldsNoFormulas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+1+1": "'+1+1", "-2+3": "'-2+3", "@SUM(1)": "'@SUM(1)", "\t=1": "'\t=1", "\r=1": `'\x0d=1`,
		"-1.5": "-1.5", "+3e5": "+3e5", "skip-locked": "skip-locked", "": "", "'quoted": "'quoted",
	} {
		r := newRun(name, 1, 5, 1, 100, 0)
		r.Errors = []string{name}
		r.Latency.P50 = -1.5
		records, err := csv.NewReader(strings.NewReader(render(t, CSV, fileOf(r), Options{}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for column, want := range map[string]string{"strategy": want, "first_error": want, "p50": "-1.5"} {
			if got := records[1][slices.Index(records[0], column)]; got != want {
				t.Errorf("%s of %q is %q, want %q", column, name, got, want)
			}
		}
	}
}

// hgrm's lines are what the plotters read: the percentiles of the histogram.
func TestHGRM(t *testing.T) {
	t.Parallel()
	f := cases()["one-client"]
	h := f.Runs[0].LatencyHist
	lines := 0
	for line := range strings.Lines(render(t, HGRM, f, Options{})) {
		fields := strings.Fields(line)
		if len(fields) != 4 || fields[0] == "Value" || strings.HasPrefix(line, "#") {
			continue
		}
		lines++
		value, err1 := strconv.ParseFloat(fields[0], 64)
		quantile, err2 := strconv.ParseFloat(fields[1], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%q", line)
		}
		// Values are printed with three decimals, and a percentile with six.
		want := float64(h.Percentile(100*quantile)) / 1e6
		if quantile > 0.01 && quantile < 0.99 && math.Abs(value-want) > 0.002+want*0.01 {
			t.Errorf("at %v: %v ms, want %v ms", quantile, value, want)
		}
	}
	if lines < 30 {
		t.Errorf("only %d lines of percentiles", lines)
	}
	if s := render(t, HGRM, matrix(), Options{}); strings.Count(s, "#[partitioned-skip-locked, plain, 64 clients, prepared]") != 1 {
		t.Error("repeats are not one distribution")
	}
}

func TestMarkdownEscapes(t *testing.T) {
	t.Parallel()
	r := newRun("a|b<script>`x`\n*y*", 1, 5, 1, 100, 0)
	text := render(t, Markdown, fileOf(r), Options{})
	if strings.Contains(text, "<script>") || !strings.Contains(text, `a\|b\<script\>\`+"`x"+`\`+"`"+` \*y\*`) {
		t.Errorf("not escaped: %s", text)
	}
}

func TestMergedLatenciesAreThoseOfAllSamples(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := result.NewHistogram(result.FineDigits)
		var runs []*result.Run
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			h := result.NewHistogram(result.FineDigits)
			for _, ns := range rapid.SliceOfN(rapid.Int64Range(0, int64(11*time.Minute)), 0, 60).Draw(t, "ns") {
				h.Record(time.Duration(ns))
				all.Record(time.Duration(ns))
			}
			runs = append(runs, &result.Run{Configuration: result.Configuration{Clients: 1}, Stats: result.Stats{Transactions: h.Count(), LatencyHist: h}}, &result.Run{})
		}
		// As saved runs have it: through the file and back.
		var saved strings.Builder
		if err := JSON(&saved, &result.File{Runs: runs}, Options{}); err != nil {
			t.Fatal(err)
		}
		back, err := result.Read(strings.NewReader(saved.String()))
		if err != nil {
			t.Fatal(err)
		}
		merged := MergeLatencies(back.Runs)
		if merged.Count() != all.Count() || merged.Overflow() != all.Overflow() || merged.Min() != all.Min() || merged.Max() != all.Max() {
			t.Fatalf("merged %+v, all %+v", merged.Latency(), all.Latency())
		}
		for _, p := range []float64{0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 100} {
			if got, want := merged.Percentile(p), all.Percentile(p); got != want {
				t.Fatalf("p%v is %v, of all samples %v", p, got, want)
			}
		}
		if math.Abs(merged.Mean()-all.Mean()) > 1e-9*(1+all.Mean()) {
			t.Fatalf("mean %v, of all samples %v", merged.Mean(), all.Mean())
		}
	})
	if MergeLatencies([]*result.Run{{}}) != nil {
		t.Error("a histogram out of nothing")
	}
}
