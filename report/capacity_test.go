package report

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"qbench/internal/capacity"
	"qbench/internal/result"
)

// sweepOf measures a curve with a ripple of 1% instead of noise.
func sweepOf(t testing.TB, curve func(n float64) float64, limit int) *result.Sweep {
	t.Helper()
	now, calls := started, 0
	s, err := capacity.RunSweep(t.Context(), capacity.SweepConfig{MaxClients: limit, Duration: 10 * time.Second, Seed: 1, Now: func() time.Time { return now }},
		func(_ context.Context, p result.Point) (result.Sample, error) {
			now = now.Add(11 * time.Second)
			calls++
			x := curve(float64(p.Clients)) * (1 + 0.01*math.Sin(float64(calls)))
			return result.Sample{
				DurationS: 10, OrdersPerS: x, EmptyShare: 0.01 * float64(p.Clients%7), CPUPerOrder: 2.1e-5, Errors: int64(p.Clients / 100),
				Latency: result.Latency{P50: 900 * float64(p.Clients) / x, P99: 3100 * float64(p.Clients) / x},
			}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func curveOf(lambda, sigma, kappa float64) func(float64) float64 {
	return func(n float64) float64 { return lambda * n / (1 + sigma*(n-1) + kappa*n*(n-1)) }
}

func capacityReport(t testing.TB) *result.File {
	cliff := func(n float64) float64 {
		if n > 64 {
			return 900
		}
		return curveOf(800, 0.2, 0)(n)
	}
	limit := 20.0
	var p99 []float64
	for i := range 60 {
		p99 = append(p99, 10+0.05*float64(i)+0.3*math.Sin(float64(3*i)))
	}
	strategies := []*result.Capacity{
		{
			Name: "skip-locked", Layout: "unlogged", Unlogged: true, Sweep: sweepOf(t, curveOf(1200, 0.05, 0.0004), 256),
			Search: &result.Search{
				Outcome: result.CapacityFound, SLO: "e2e_p99<20ms", Workers: 12, Points: 9, ConfirmRuns: 3, ConfirmS: 120, BacklogS: 1,
				Rate:   result.Estimate{Value: 7400, Low: 7350, High: 7550},
				Answer: "the SLO e2e_p99<20ms holds up to 7,400 orders/s with 12 workers; at 7,550 orders/s e2e_p99 is 23.1 ms",
			},
			Soak: capacity.SoakDrift(60, []capacity.Series{{Name: "p99", Unit: "ms", Values: p99, Limit: &limit}}),
		},
		{Name: "advisory", Sweep: sweepOf(t, cliff, 256), Search: &result.Search{Outcome: result.CapacityNever, Answer: "the SLO e2e_p99<20ms never holds"}},
		{Name: "two counts", Sweep: sweepOf(t, curveOf(500, 0.5, 0), 2)},
		{Name: "broken", Invalid: "the audit failed: 3 orders are lost", Sweep: &result.Sweep{Outcome: result.CapacityNoConnections, Answer: "no count could be measured: the server leaves no connection"}},
	}
	f := &result.File{}
	f.SetCapacities(strategies, capacity.Rank(strategies, 0.03))
	return f
}

func renderCapacity(t testing.TB, format func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := format(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCapacityGolden(t *testing.T) {
	t.Parallel()
	r := capacityReport(t)
	for name, o := range map[string]Options{
		"unicode": {Unicode: true, Charts: true}, "ascii-60": {Width: 60, Charts: true}, "plain-40": {Width: 40}, "color-120": {Width: 120, Unicode: true, Color: true, Charts: true},
	} {
		golden(t, "capacity/"+name+".txt", renderCapacity(t, func(b *bytes.Buffer) error { return Capacity(b, r, o) }))
	}
	golden(t, "capacity/all.md", renderCapacity(t, func(b *bytes.Buffer) error { return CapacityMarkdown(b, r, Options{}) }))
}

// A report of the file says what the command said when it wrote it, although
// JSON has no infinity.
func TestCapacityReadsAsItWasWritten(t *testing.T) {
	t.Parallel()
	written := capacityReport(t)
	one := &result.File{}
	one.SetCapacities(written.AllCapacities()[2:3], nil) // whose curve never turns down
	for _, f := range []*result.File{written, one} {
		var b bytes.Buffer
		if err := result.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		read, err := result.Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		for name, format := range map[string]func(*bytes.Buffer, *result.File) error{
			"text": func(b *bytes.Buffer, f *result.File) error {
				return Capacity(b, f, Options{Charts: true, Unicode: true})
			},
			"Markdown": func(b *bytes.Buffer, f *result.File) error { return CapacityMarkdown(b, f, Options{}) },
			"HTML":     func(b *bytes.Buffer, f *result.File) error { return CapacityHTML(b, f, Options{}) },
		} {
			render := func(f *result.File) string {
				return renderCapacity(t, func(b *bytes.Buffer) error { return format(b, f) })
			}
			if want, got := render(f), render(read); got != want {
				t.Errorf("%s of the file differs:\n%s\nwhen it was written:\n%s", name, got, want)
			}
		}
	}
}

func TestCapacityOfNothing(t *testing.T) {
	t.Parallel()
	empty := &result.File{}
	if s := renderCapacity(t, func(b *bytes.Buffer) error { return Capacity(b, empty, Options{}) }); s != "nothing was measured\n" {
		t.Errorf("%q", s)
	}
	if s := renderCapacity(t, func(b *bytes.Buffer) error { return CapacityMarkdown(b, empty, Options{}) }); s != "Nothing was measured.\n" {
		t.Errorf("%q", s)
	}
}

func TestCapacityKeepsToThePage(t *testing.T) {
	t.Parallel()
	r := capacityReport(t)
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Width: rapid.IntRange(0, 200).Draw(t, "width"), Unicode: rapid.Bool().Draw(t, "unicode"), Charts: rapid.Bool().Draw(t, "charts")}
		all := r.AllCapacities()
		s := *all[0]
		s.Name = rapid.StringN(1, 60, 200).Draw(t, "name")
		s.Invalid = rapid.String().Draw(t, "invalid")
		strategies := append([]*result.Capacity{&s}, all[1:]...)
		named := &result.File{}
		named.SetCapacities(strategies, capacity.Rank(strategies, 0.03))
		var b bytes.Buffer
		if err := Capacity(&b, named, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if cells(line) > o.width() {
				t.Fatalf("%d cells where there are %d: %q", cells(line), o.width(), line)
			}
			if strings.ContainsRune(line, '\x1b') {
				t.Fatalf("a name reached the terminal: %q", line)
			}
		}
	})
}

func TestCapacityWriteErrorsAreReturned(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	r := capacityReport(t)
	if err := Capacity(brokenWriter{full}, r, Options{}); !errors.Is(err, full) {
		t.Error(err)
	}
	if err := CapacityMarkdown(brokenWriter{full}, r, Options{}); !errors.Is(err, full) {
		t.Error(err)
	}
}
