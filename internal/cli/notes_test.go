package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"qbench/internal/bench"
	"qbench/internal/result"
	"qbench/runner"
)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	tick := result.Tick{AtS: 5, TPS: 1234.56, MeanMS: 1.2345, StdDevMS: 0.5, Failed: 1, LagMS: 0.25, Skipped: 2, Retried: 3, Retries: 4, OrdersPerS: 99, Depth: 1000}
	for _, c := range []struct {
		rate, limit, retries, orders bool
		want                         string
	}{
		{false, false, false, false, "progress: 5.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed"},
		{true, false, false, false, "progress: 5.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed, lag 0.250 ms"},
		{true, true, true, true, "progress: 5.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed, lag 0.250 ms, 2 skipped, 3 retried, 4 retries, 99.0 orders/s, 1000 left"},
	} {
		if got := progressLine(tick, c.rate, c.limit, c.retries, c.orders); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	tick.Depth, tick.Warmup = -1, true
	if got := progressLine(tick, false, false, false, true); !strings.HasSuffix(got, "1 failed, 99.0 orders/s, warm-up") {
		t.Error(got)
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	mix, err := bench.LoadMix(bench.Part{Name: "skip-locked", Weight: 1})
	if err != nil {
		t.Fatal(err)
	}
	spec := bench.Spec{Mix: mix, Load: runner.Config{Duration: 30 * time.Second, Warmup: 5 * time.Second}}
	tick := result.Tick{AtS: 12, LengthS: 1, OrdersPerS: 12345.6, TPS: 12400, P99MS: 7.25, Depth: 987654}
	for columns, want := range map[int]string{
		79: "12 of 35 s: 12,345 orders/s, 12,400 tps, p99 7.2 ms, 987,654 left, 3 failed",
		70: "12 of 35 s: 12,345 orders/s, p99 7.2 ms, 987,654 left, 3 failed",
		60: "12 of 35 s: 12,345 orders/s, p99 7.2 ms, 987,654 left",
		40: "12 of 35 s: 12,345 orders/s, p99 7.2 ms",
		10: "12 of 35 s: 12,345 orders/s",
	} {
		if got := statusLine(tick, spec, 3, columns); got != want {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
	spec.Load.Duration = 0
	tick.Depth = -1
	if got, want := statusLine(tick, spec, 0, 79), "12 s: 12,345 orders/s, 12,400 tps, p99 7.2 ms, 0 failed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// The interval in which the warm-up ends is not counted in full.
	tick.AtS, tick.LengthS, tick.Depth = 5.1, 1, 1000
	if got, want := statusLine(tick, spec, 0, 79), "5 s: warming up, 1,000 left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of hundreds of clients that end alike, the first few are shown.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		var b bytes.Buffer
		quiet, hush := context.WithCancel(t.Context())
		m := &messages{con: newConsole(&b), all: all, quiet: quiet}
		for i := range 8 {
			m.message("error", fmt.Sprintf("client %d aborted", i))
		}
		m.message("", "debug(script=0,command=1): int 5")
		m.message("info", "client 1 repeats")
		m.close()
		hush()
		m.message("error", "cut off")
		got := b.String()
		if n := strings.Count(got, "qbench: error: client "); n != map[bool]int{false: 5, true: 8}[all] {
			t.Errorf("all %v: %d errors shown:\n%s", all, n, got)
		}
		if strings.Contains(got, "3 more clients ended with an error") == all {
			t.Errorf("all %v:\n%s", all, got)
		}
		if !strings.Contains(got, "\ndebug(script=0,command=1): int 5\nqbench: client 1 repeats\n") || strings.Contains(got, "cut off") {
			t.Errorf("all %v:\n%s", all, got)
		}
	}
}

// Whatever the text, no line is wider than asked, unless a word is, and no
// word gets lost.
func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zäöü%]{1,12}`)).Draw(t, "words")
		width := rapid.IntRange(20, 90).Draw(t, "width")
		var b strings.Builder
		wrapAt(&b, width, "first ", "  ", strings.Join(words, " "))
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Fatalf("%d columns in %q", n, line)
			}
		}
		if got := strings.Fields(b.String()); strings.Join(got, " ") != strings.Join(append([]string{"first"}, words...), " ") {
			t.Fatalf("words %q became %q", words, got)
		}
	})
}
