package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"

	"golang.org/x/perf/benchfmt"
)

// benchstat's own reader has to understand the lines.
func TestBenchfmtReadsBack(t *testing.T) {
	t.Parallel()
	f := matrix()
	f.Runs[0].Strategy = "./my queue.sql"
	reader := benchfmt.NewReader(strings.NewReader(render(t, Benchfmt, f, Options{})), "test")
	var got []*benchfmt.Result
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			got = append(got, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Errorf("not understood: %v", rec)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	valid := slices.DeleteFunc(slices.Clone(f.Runs), func(r *result.Run) bool { return !r.Audit.OK })
	if len(got) != len(valid) || len(valid) != len(f.Runs)-1 {
		t.Fatalf("%d results for %d valid runs", len(got), len(valid))
	}
	if name := got[0].Name.String(); name != "Queue/strategy=._my_queue.sql/layout=plain/mode=prepared/clients=8" {
		t.Errorf("name %q", name)
	}
	for i, r := range valid {
		if v, ok := got[i].Value("orders/s"); !ok || v != r.OrdersPerS {
			t.Errorf("orders/s %v, want %v", v, r.OrdersPerS)
		}
		if v, ok := got[i].Value("p99-sec"); !ok || math.Abs(v-r.Latency.P99/1e3) > 1e-12 {
			t.Errorf("p99 %v s, want %v ms", v, r.Latency.P99)
		}
		if v := got[i].GetConfig("server-version"); v != "15.18" {
			t.Errorf("server-version %q", v)
		}
	}
	if reader.Units().GetBetter("orders/s") != 1 || reader.Units().GetBetter("p99-sec") != -1 {
		t.Error("benchstat does not know which direction is better")
	}
}
