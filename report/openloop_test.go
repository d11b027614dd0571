package report

import (
	"math"
	"strings"
	"testing"

	"qbench/internal/result"
)

func TestDroppedStarts(t *testing.T) {
	t.Parallel()
	run := func(made, skipped int64) *result.Run {
		return &result.Run{Configuration: result.Configuration{OpenLoop: true, Rate: 100, WantDurationS: 100, Clients: 7}, Stats: result.Stats{Transactions: made - 10, Failures: result.Failures{Other: 10}, Skipped: skipped}}
	}
	for _, tt := range []struct {
		made, skipped int64
		want          string
	}{
		{10_000, 0, ""},
		{9_701, 0, ""}, // 10,000 random starts scatter by 100
		{9_699, 0, "about 301 of 10,000 starts were dropped: all 7 clients were busy"},
		{9_699, 301, ""},
		{10_400, 0, ""},
	} {
		got := droppedStarts(run(tt.made, tt.skipped))
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%d made, %d skipped: %q, want %q", tt.made, tt.skipped, got, tt.want)
		}
	}
	for _, end := range []func(*result.Run){
		func(r *result.Run) { r.Drained = true },
		func(r *result.Run) { r.Interrupted = true },
		func(r *result.Run) { r.OpenLoop = false },
	} {
		r := run(10, 0)
		if end(r); droppedStarts(r) != "" {
			t.Error("a run that ended early, or had a fixed number of clients, has dropped nothing")
		}
	}
}

func TestBusyClients(t *testing.T) {
	t.Parallel()
	r := &result.Run{TPS: 200, Latency: result.Latency{Mean: 90}, AllLatency: result.Latency{Mean: 30}, Lag: &result.Latency{Mean: 10}}
	if got := BusyClients(r); math.Abs(got-4) > 1e-9 {
		t.Errorf("%g clients, want 4", got)
	}
}
