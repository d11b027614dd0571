package result

import (
	"math"
	"regexp"
	"strings"
	"testing"
)

func TestMetricsAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range Metrics {
		m := &Metrics[i]
		if !regexp.MustCompile(`^[a-z0-9_]+$`).MatchString(m.Name) || m.Title == "" || m.Help == "" || m.Group == "" || m.Of == nil {
			t.Errorf("%q lacks something: %+v", m.Name, m)
		}
		if seen[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		seen[m.Name] = true
		if (m.Whole == "") != (m.Total == nil) && m.Unit != "%" {
			t.Errorf("%s names no whole, or does not count it", m.Name)
		}
		if got, err := LookupMetric(m.Name); err != nil || got != m {
			t.Errorf("%s: %v", m.Name, err)
		}
		// What an empty run has not, has a reason.
		if _, ok := m.Of(&Run{}); !ok && m.Absent == "" {
			t.Errorf("%s does not say why a run has no value", m.Name)
		}
		if e, ok := m.Of(measured()); ok && (math.IsNaN(e.Value) || e.Low > e.Value || e.High < e.Value) {
			t.Errorf("%s is %+v", m.Name, e)
		}
		_, err := ParseThreshold(m.Name + ">1" + map[string]string{"ms": "ms", "%": "%"}[m.Unit])
		if err != nil {
			t.Error(err)
		}
	}
}

func TestMetricList(t *testing.T) {
	t.Parallel()
	list := MetricList()
	for _, want := range []string{"orders_per_s, tps, ", "p99_9, max, waiting, oldest_waiting, growing, depth_max, ", "client_cpu_per_tx; the latencies mean to max also with empty_, all_, lag_, queue_ or e2e_ before them"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q lacks %q", list, want)
		}
	}
	if _, err := LookupMetric("queue_p9"); err == nil || !strings.Contains(err.Error(), `did you mean "queue_p90"?`) {
		t.Error(err)
	}
	if m, err := LookupMetric("e2e_p99.9"); err != nil || m.Name != "e2e_p99_9" {
		t.Error(err)
	}
}

// A growing queue is 1, a stable one 0, and an undecided one neither.
func TestGrowing(t *testing.T) {
	t.Parallel()
	th, err := ParseThreshold("growing>0")
	if err != nil {
		t.Fatal(err)
	}
	for trend, want := range map[string]Truth{"growing": True, "stable": False, "shrinking": False, "undecided": Unknown} {
		r := &Run{Steady: &Steady{Depth: Depth{Trend: trend, Growing: trend == "growing"}}}
		if truth, value := th.Check(r); truth != want {
			t.Errorf("%s: %v (%s), want %v", trend, truth, value, want)
		}
	}
}

// Commits that were sent and not answered, of statements that may have done more.
func TestInDoubtIsALowerBound(t *testing.T) {
	t.Parallel()
	r := &Run{Audit: &Audit{OK: true, InDoubt: 3, InDoubtUnknown: true}}
	for text, want := range map[string]Truth{"in_doubt>2": True, "in_doubt>5": Unknown, "in_doubt<3": False} {
		th, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		if truth, value := th.Check(r); truth != want || value != "in_doubt is > 3" {
			t.Errorf("%s: %v (%s), want %v", text, truth, value, want)
		}
	}
}
