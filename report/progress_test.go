package report

import (
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
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
		if got := (Progress{Scheduled: c.rate, Limited: c.limit, Retries: c.retries, Orders: c.orders}).Line(tick); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	tick.Depth, tick.Warmup = -1, true
	if got := (Progress{Orders: true}).Line(tick); !strings.HasSuffix(got, "1 failed, 99.0 orders/s, warm-up") {
		t.Error(got)
	}
}

func TestStatusLine(t *testing.T) {
	t.Parallel()
	p := Progress{Orders: true, Duration: 30 * time.Second, Warmup: 5 * time.Second}
	tick := result.Tick{AtS: 12, LengthS: 1, OrdersPerS: 12345.6, TPS: 12400, P99MS: 7.25, Depth: 987654}
	for columns, want := range map[int]string{
		79: "12 of 35 s: 12,345 orders/s, 12,400 tps, p99 7.2 ms, 987,654 left, 3 failed",
		70: "12 of 35 s: 12,345 orders/s, p99 7.2 ms, 987,654 left, 3 failed",
		60: "12 of 35 s: 12,345 orders/s, p99 7.2 ms, 987,654 left",
		40: "12 of 35 s: 12,345 orders/s, p99 7.2 ms",
		10: "12 of 35 s: 12,345 orders/s",
	} {
		if got := p.Status(tick, 3, columns); got != want {
			t.Errorf("%d columns: got %q, want %q", columns, got, want)
		}
	}
	p.Duration = 0
	tick.Depth = -1
	if got, want := p.Status(tick, 0, 79), "12 s: 12,345 orders/s, 12,400 tps, p99 7.2 ms, 0 failed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// The interval in which the warm-up ends is not counted in full.
	tick.AtS, tick.LengthS, tick.Depth = 5.1, 1, 1000
	if got, want := p.Status(tick, 0, 79), "5 s: warming up, 1,000 left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
