package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qbench/internal/result"
)

// queueRuns are runs with producers whose queue_p99 lies between low and high ms
// (infinite: at least low), spread by 2 %.
func queueRuns(name string, low, high float64) Set {
	rng := rand.New(rand.NewPCG(1, uint64(len(name))))
	s := simulated(rng, name, 10, normal(0.005), 1)
	for i, r := range s.Runs {
		factor := 1 + 0.002*float64(i*7%10)
		r.Enqueue.Producers, r.Producers = 1, &result.Producers{Clients: 1}
		r.Steady = &result.Steady{QueueTime: &result.Latency{P99: low * factor}}
		if high > low {
			r.Steady.QueueTimeAtMost = &result.Bounds{P99: high * factor}
		}
	}
	return s
}

// A value that is known by its bounds only is never taken for better or worse than
// it may be.
func TestBoundedValues(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		name       string
		base, new  [2]float64
		want       result.Verdict
		passes     bool
		newAtLeast bool
	}{
		{"exact", [2]float64{10, 10}, [2]float64{10, 10}, result.Same, true, false},
		{"10 ms to 10 s", [2]float64{10, 10}, [2]float64{10_000, 10_000}, result.Slower, false, false},
		{"10 ms to at least 10 s", [2]float64{10, 10}, [2]float64{10_000, inf}, result.Slower, false, true},
		{"10 s to at least 10 ms", [2]float64{10_000, 10_000}, [2]float64{10, inf}, result.Inconclusive, false, true},
		{"at least 10 ms to 10 s", [2]float64{10, inf}, [2]float64{10_000, 10_000}, result.Inconclusive, false, false},
		{"at least 10 s to 10 ms", [2]float64{10_000, inf}, [2]float64{10, 10}, result.Faster, true, false},
		{"both at least 10 s", [2]float64{10_000, inf}, [2]float64{10_000, inf}, result.Inconclusive, false, true},
		{"narrow bounds", [2]float64{10, 10.5}, [2]float64{10, 10.5}, result.Same, true, true},
		{"wide bounds", [2]float64{10, 10}, [2]float64{5, 40}, result.Inconclusive, false, true},
	} {
		o := Options{MaxSlowdown: 0.05}
		rep, err := Compare(queueRuns("base", c.base[0], c.base[1]), queueRuns("new", c.new[0], c.new[1]), o)
		if err != nil {
			t.Fatal(err)
		}
		row := rep.Rows[1]
		if row.Metric != "queue_p99" || !row.Decides || row.MaxSlowdown != TailSlowdown {
			t.Fatalf("%s: the queue time does not decide: %+v", c.name, row)
		}
		if row.Verdict != c.want || rep.Failed() == c.passes {
			t.Errorf("%s: %s, failed: %v; %+v", c.name, row.Verdict, rep.Failed(), row)
		}
		if (row.NewMedian.High > row.NewMedian.Value) != c.newAtLeast {
			t.Errorf("%s: the median is %+v", c.name, row.NewMedian)
		}
	}
}

// The median ratio and the medians that stand in one row may disagree, and the
// report then says so: 2,005, 2,028 and 0.57.
func TestMediansDisagree(t *testing.T) {
	t.Parallel()
	set := func(name string, common, rare float64) Set {
		s := simulated(rand.New(rand.NewPCG(1, 1)), name, 11, normal(0), 1)
		for i, r := range s.Runs {
			r.OrdersPerS = []float64{common, rare}[i%2]
		}
		return s
	}
	for _, c := range []struct {
		base, new Set
		want      string
	}{
		{set("base", 2005, 3569), set("new", 2028, 1137), "the medians have the ratio 1.01, but the typical ratio of a new run to a base run is 0.56"},
		{set("base", 2005, 2007), set("new", 2028, 2020), ""},
	} {
		rep, err := Compare(c.base, c.new, fivePercent)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range rep.Problems {
			got += p.Text
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q; %+v", got, c.want, rep.Rows[0].Ratio)
		}
	}
}
