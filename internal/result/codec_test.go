package result

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// coherent is a run of every part, whose fields agree.
func coherent(n, empty int64) *Run {
	stats := func() Stats {
		s := *NewStats(false)
		for i := range n {
			if d := time.Duration(i+1) * time.Millisecond; i < empty {
				s.RecordEmpty(d)
			} else {
				s.LatencyHist.Record(d)
			}
		}
		s.Transactions, s.Empty, s.Orders, s.Retried, s.Retries = n, empty, n-empty, min(n, 1), 2
		return s
	}
	r := &Run{
		Configuration: Configuration{
			Strategy: "skip-locked", Workload: "orders", Layout: "plain", Mode: "prepared", Clients: 8, WantDurationS: 10,
			Params: Assign(map[string]string{"batch": "10"}), Settings: Assign(map[string]string{"fsync": "on"}), BaseSeed: 42, ServerMajor: 15,
		},
		Repeat: 1, Seed: 42, DurationS: 10, CountsOrders: true, Stats: stats(), Audit: &Audit{OK: true, Seeded: n},
		Producers: &Producers{Clients: 2, Stats: stats()},
		Steady: &Steady{
			TimedOrders: 10, TimedWaiting: 4, TimedUnfinished: 5, QueueTime: &Latency{Mean: 2, P50: 1, P90: 2, P95: 2, P99: 3, P999: 4, Max: 5},
			QueueTimeAtMost: &Bounds{Mean: math.Inf(1), StdDev: math.Inf(1), P50: 1, P90: math.Inf(1), P95: math.Inf(1), P99: math.Inf(1), P999: math.Inf(1), Max: math.Inf(1)},
			Depth:           Depth{SlopePerS: &Estimate{Value: -2, Low: -3, High: -1}},
		},
		Intervals: []Tick{{AtS: 1, LengthS: 1, Depth: -1}},
		Scripts:   []Script{{Name: "x", Weight: 1, Stats: stats(), Statements: []Statement{{Text: "begin;", Count: n}}}},
		Warnings:  []string{},
	}
	r.TPS, r.OrdersPerS = float64(n)/10, float64(n-empty)/10
	r.Latency, r.AllLatency = r.LatencyHist.Latency(), r.All().Latency()
	return r
}

func written(t interface{ Fatal(...any) }, f *File) string {
	var b strings.Builder
	if err := Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 300).Draw(t, "n")
		text := written(t, &File{Runs: []*Run{coherent(n, rapid.Int64Range(0, n).Draw(t, "empty"))}, Environment: Environment{ServerVersion: "15.18"}})
		f, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := written(t, f); again != text {
			t.Fatalf("written, read and written again, it differs: %s", cmp.Diff(text, again))
		}
		if f.Runs[0].Env.ServerVersion != "15.18" {
			t.Fatal("the run does not know its environment")
		}
	})
}

// A file whose fields contradict each other is refused with the run and the field.
func TestContradictionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		damage func(*Run)
	}{
		{"duration_s is -10, which is negative", func(r *Run) { r.DurationS = -10 }},
		{"clients is -1, which is negative", func(r *Run) { r.Clients = -1 }},
		{"clients is 0, but transactions is 100", func(r *Run) { r.Clients = 0 }},
		{"producers.clients is -1", func(r *Run) { r.Producers.Clients = -1 }},
		{"intervals[0].tps is -1", func(r *Run) { r.Intervals[0].TPS = -1 }},
		{"scripts[0].statements[0].count is -7", func(r *Run) { r.Scripts[0].Statements[0].Count = -7 }},
		{"intervals[0].depth is -2", func(r *Run) { r.Intervals[0].Depth = -2 }},
		{"orders is 90, but transactions is 0", func(r *Run) {
			r.Stats = Stats{Orders: 90}
			r.TPS = 0
		}},
		{"orders is 90, but counts_orders is false", func(r *Run) { r.CountsOrders = false }},
		{"empty is 101, but transactions is 100", func(r *Run) { r.Empty = 101 }},
		{"producers: empty is 101, but transactions is 100", func(r *Run) { r.Producers.Empty = 101 }},
		{"late is 101, but transactions is 100", func(r *Run) { r.Late = 101 }},
		{"retried is 1, but retries is 0", func(r *Run) { r.Retries = 0 }},
		{"latency_hist holds 90 samples, but transactions - empty is 89", func(r *Run) { r.Empty++ }},
		{"scripts[0]: empty_hist holds 11 samples, but empty is 10", func(r *Run) { r.Scripts[0].RecordEmpty(1) }},
		{"tps * duration_s is 200, but transactions is 100", func(r *Run) { r.TPS = 20 }},
		{"orders_per_s * duration_s is 0, but orders is 90", func(r *Run) { r.OrdersPerS = 0 }},
		{"latency_ms: p99 (1) is below p95", func(r *Run) { r.Latency.P99 = 1 }},
		{"all_latency_ms: mean (9999) is above max (100)", func(r *Run) { r.AllLatency.Mean = 9999 }},
		{"queue_time_ms: max (1) is below p99_9 (4)", func(r *Run) { r.QueueTime.Max = 1 }},
		{"aborted_clients is 11, but there were 10 clients", func(r *Run) { r.AbortedClients = 11 }},
		{"audit.ok is true, but 3 orders are lost", func(r *Run) { r.Audit.Lost = 3 }},
		{"timed_orders is 10, fewer than timed_waiting (11)", func(r *Run) { r.TimedWaiting = 11 }},
		{"slope_per_s: low (5) is above high (-1)", func(r *Run) { r.Depth.SlopePerS.Low = 5 }},
	} {
		r := coherent(100, 10)
		c.damage(r)
		_, err := Read(strings.NewReader(written(t, &File{Runs: []*Run{coherent(100, 10), r}})))
		if err == nil || !strings.Contains(err.Error(), "run 2 (skip-locked batch=10, plain, prepared") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// What looks odd but can happen is read.
func TestOddRunsAreRead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Run){
		"all clients aborted in the middle of a script": func(r *Run) {
			r.Stats, r.TPS, r.OrdersPerS, r.AbortedClients = Stats{Orders: 3}, 0, 0.3, 8
		},
		"nothing measured":    func(r *Run) { *r = Run{} },
		"rounded by a script": func(r *Run) { r.TPS, r.DurationS = 10, 10.01 },
		"lost orders":         func(r *Run) { r.Audit.OK, r.Audit.Lost = false, 3 },
	} {
		r := coherent(100, 10)
		change(r)
		if _, err := Read(strings.NewReader(written(t, &File{Runs: []*Run{r}}))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := written(t, &File{Runs: []*Run{coherent(100, 10)}})
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "it is empty"},
		{"truncated", whole[:len(whole)/2], "it is truncated"},
		{"older", `{"format":"qbench/1","runs":[]}`, `its format is "qbench/1", and this version of qbench reads "qbench/2": measure again, or use the qbench that wrote it`},
		{"newer, of another shape", `{"format":"qbench/3","runs":{"a":1}}`, `its format is "qbench/3"`},
		{"another program's", `{"version": 3}`, `no "format"`},
		{"not an object", `[1,2]`, `no "format"`},
		{"format is no text", `{"format": 1}`, `no "format"`},
		{"no JSON", "transaction type: x", "invalid character"},
		{"two files in one", whole + whole, "something follows"},
		{"a null run", `{"format":"qbench/2","runs":[null]}`, "run 1 is null"},
		{"a null capacity", `{"format":"qbench/2","runs":[],"capacities":[null]}`, "capacity 1 is null"},
		{"a wrong type", `{"format":"qbench/2","runs":[{"clients":"8"}]}`, "cannot unmarshal"},
		{"a damaged histogram", `{"format":"qbench/2","runs":[{"latency_hist":{"hdr":"HISTFAAA","count":3}}]}`, "histogram"},
		{"a histogram of other sums", strings.Replace(whole, `"min_ns": `, `"min_ns": 9`, 1), "its sums contradict each other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// Whatever a file holds, it is refused, or every metric and threshold has an
// answer, and it is written again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(written(f, &File{Runs: []*Run{coherent(3, 1)}})))
	f.Add([]byte(`{"format":"qbench/2","runs":[{}]}`))
	f.Add([]byte(`{"format":"qbench/2","runs":[{"transactions":1,"tps":1e308,"duration_s":1e308,"producers":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, r := range file.Runs {
			for i := range Metrics {
				e, ok := Metrics[i].Of(r)
				if ok && (math.IsNaN(e.Value) || e.Value < 0) {
					t.Errorf("%s is %g", Metrics[i].Name, e.Value)
				}
				Metrics[i].Share(r)
			}
		}
		if err := Write(io.Discard, file); err != nil {
			t.Error(err)
		}
	})
}

func TestWriteRefusesWhatJSONCannotSay(t *testing.T) {
	t.Parallel()
	if err := Write(io.Discard, &File{Runs: []*Run{{TPS: math.Inf(1)}}}); err == nil {
		t.Error("an infinite rate was written")
	}
}

// A verdict that the rows do not bear was edited.
func TestComparisonsThatContradictThemselvesAreRefused(t *testing.T) {
	t.Parallel()
	row := func(v Verdict, decides bool) ComparisonRow {
		return ComparisonRow{Metric: "tps", Decides: decides, Outcome: Outcome{Verdict: v}}
	}
	for name, c := range map[string]struct {
		verdict Verdict
		rows    []ComparisonRow
		refused bool
	}{
		"the worst row":      {Slower, []ComparisonRow{row(Same, true), row(Slower, true)}, false},
		"better than a row":  {Same, []ComparisonRow{row(Same, true), row(Slower, true)}, true},
		"no row":             {Same, nil, true},
		"no row that counts": {Same, []ComparisonRow{row(Same, false)}, true},
		"nothing was judged": {NotComparable, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			if err := Write(&b, &File{Comparison: &Comparison{Outcome: Outcome{Verdict: c.verdict}, Rows: c.rows}}); err != nil {
				t.Fatal(err)
			}
			_, err := Read(strings.NewReader(b.String()))
			if refused := err != nil && strings.Contains(err.Error(), "the comparison contradicts itself"); refused != c.refused || err != nil && !c.refused {
				t.Errorf("%v", err)
			}
		})
	}
}
