package capacity

import (
	"math"
	"strings"
	"testing"

	"qbench/internal/result"
)

// latencyRun has a p99 that is known to lie between two bounds.
func latencyRun(low, high float64) result.Sample {
	r := &result.Run{Steady: &result.Steady{QueueTime: &result.Latency{P99: low}}}
	if high > low {
		r.QueueTimeAtMost = &result.Bounds{P99: high}
	}
	return result.Sample{Run: r, OrdersPerS: 100}
}

// failedRun gave up transactions.
func failedRun(n int64) result.Sample {
	return result.Sample{Run: &result.Run{Stats: result.Stats{Transactions: 90, Failures: result.Failures{Other: n}}}, OrdersPerS: 100}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		slo             string
		samples         []result.Sample
		holds, doubtful bool
		text            string
	}{
		"below":                         {"queue_p99<20ms", []result.Sample{latencyRun(5, 5)}, true, false, "queue_p99 is 5 ms"},
		"above":                         {"queue_p99<20ms", []result.Sample{latencyRun(50, 50)}, false, false, "queue_p99 is 50 ms"},
		"below within the noise":        {"queue_p99<20ms", []result.Sample{latencyRun(19, 19)}, true, true, "queue_p99 is 19 ms"},
		"waiting orders do not matter":  {"queue_p99<20ms", []result.Sample{latencyRun(5, 6)}, true, false, "queue_p99 is 6 ms"},
		"waiting orders decide":         {"queue_p99<20ms", []result.Sample{latencyRun(5, inf)}, false, true, "queue_p99 is > 5 ms and not known, because orders still waited"},
		"waiting orders already broke":  {"queue_p99<20ms", []result.Sample{latencyRun(60, inf)}, false, false, "queue_p99 is 60 ms"},
		"unknown of one repeat":         {"queue_p99<20ms", []result.Sample{latencyRun(5, 5), latencyRun(5, inf)}, false, true, "queue_p99 is > 5 ms"},
		"a share holds":                 {"failed<=10%", []result.Sample{failedRun(0), failedRun(10)}, true, false, "failed is 5"},
		"a share holds in one of two":   {"failed<10%", []result.Sample{failedRun(0), failedRun(30)}, false, true, "failed is "},
		"a share is broken":             {"failed<10%", []result.Sample{failedRun(30)}, false, false, "failed is 25 %"},
		"a limit below the other way":   {"queue_p99>20ms", []result.Sample{latencyRun(5, 5)}, false, false, "queue_p99 is 5 ms"},
		"a limit that must be exceeded": {"transactions>=90", []result.Sample{failedRun(0)}, true, false, "transactions is 90"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := new(prober).check(slo(t, c.slo)[0], c.samples, false)
			if err != nil || v.holds != c.holds || v.doubtful != c.doubtful || !strings.HasPrefix(v.text, c.text) {
				t.Errorf("holds %t, doubtful %t, %q, %v", v.holds, v.doubtful, v.text, err)
			}
			if v.holds != (v.room > 0) {
				t.Errorf("it holds: %t, with room %g", v.holds, v.room)
			}
		})
	}
	if _, err := new(prober).check(slo(t, "empty_p99<1s")[0], []result.Sample{failedRun(0)}, false); err == nil || !strings.Contains(err.Error(), "was not measured") {
		t.Errorf("a metric that the run does not have: %v", err)
	}
}

// An objective whose metric the waiting orders leave open is not held, however
// small the times of those that were taken.
func TestUnknownIsNotHeld(t *testing.T) {
	t.Parallel()
	p := &prober{slo: slo(t, "queue_p99<20ms")}
	known, open := latencyRun(5, 5), latencyRun(5, math.Inf(1))
	for _, c := range []struct {
		sample        result.Sample
		steers, holds bool
	}{{known, false, true}, {open, false, false}, {open, true, true}, {latencyRun(21, math.Inf(1)), true, false}} {
		b, err := p.judge(100, 1, []result.Sample{c.sample}, c.steers)
		if err != nil || b.Holds != c.holds {
			t.Errorf("%+v: holds %t (%q), %v", c.sample.Run.QueueTimeAtMost, b.Holds, b.Breaks, err)
		}
	}
	// Without a single order there is nothing to measure, and it is broken.
	b, err := p.judge(100, 1, []result.Sample{{Run: &result.Run{}}}, false)
	if err != nil || b.Holds || b.Doubtful || !strings.Contains(strings.Join(b.Breaks, ";"), "no order comes through") {
		t.Errorf("no order: %+v, %v", b, err)
	}
}
