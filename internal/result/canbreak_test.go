package result

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestThresholdsThatNoResultCouldBreak(t *testing.T) {
	t.Parallel()
	steady := Asked{Clients: 6, Longest: 40 * time.Second, CountsOrders: true, Producers: true, Queue: true}
	counted := Asked{Clients: 2, Transactions: 20, CountsOrders: true, Queue: true}
	for _, c := range []struct {
		text  string
		asked *Asked
		want  string // "" can be broken
	}{
		{"queue_p99>60s", &steady, "never above warm-up, duration and grace together (40s)"},
		{"queue_p99>=41s", &steady, "never above warm-up"},
		{"e2e_max>40s", &steady, ""},
		{"oldest_waiting>50s", &steady, "never above warm-up"},
		{"p99>50s", &steady, "never above warm-up"},
		{"queue_p99<60s", &steady, ""},
		{"queue_p99<0s", &steady, "never below 0"},
		{"orders_per_s<0", &steady, "never below 0"},
		{"orders_per_s<=0", &steady, ""},
		{"orders_per_s>1e9", &steady, ""},
		{"empty>100%", &steady, "never above 100%"},
		{"empty>=100%", &steady, ""},
		{"empty>1000", &steady, ""},
		{"client_cpu>100%", &steady, "never above 100%"},
		{"aborted_clients>6", &steady, "never above the number of clients (6)"},
		{"aborted_clients>=6", &steady, ""},
		{"growing>0", &steady, ""},
		{"growing>1", &steady, "never above 1"},
		{"p99>9999s", &counted, ""}, // -t takes as long as it takes
		{"transactions>20", &counted, "never above the number of transactions asked for (20)"},
		{"transactions<20", &counted, ""},
		{"orders>100", &counted, ""},
		{"failed>=21", &counted, "never above the number of transactions asked for (20)"},
		{"retries>100", &counted, ""},
		{"queue_p99>1s", &counted, "the run will have no queue_p99: the run has no producers"},
		{"late>0", &counted, "the run will have no late: the run has no latency limit (-L)"},
		{"lag_max>1s", &steady, "the run will have no lag_max: the run has no schedule (--rate)"},
		{"lost>0", &Asked{CountsOrders: true}, "the run will have no lost: the run makes no queue"},
		{"client_cpu_per_order>5", &Asked{}, "the run will have no client_cpu_per_order: no script of the run counts orders"},
	} {
		th, err := ParseThreshold(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if err = th.Measured(c.asked); err == nil {
			err = th.CanBreak(c.asked)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// A threshold that some run breaks is never refused.
func TestWhatARunBreaksCanBeBroken(t *testing.T) {
	t.Parallel()
	asked := Asked{Clients: 9, Longest: 40 * time.Second, CountsOrders: true, Producers: true, Queue: true, Scheduled: true, Limited: true}
	rapid.Check(t, func(t *rapid.T) {
		l := Latency{Mean: 1, P50: 2, P90: 4, P95: 5, P99: 6, P999: rapid.Float64Range(6, 4e4).Draw(t, "p99.9"), Max: 4e4}
		r := measured()
		r.Latency, r.AllLatency, r.EmptyLatency, r.Lag = l, l, &l, &l
		r.Empty = rapid.Int64Range(0, r.Transactions).Draw(t, "empty")
		r.AbortedClients = rapid.IntRange(0, 9).Draw(t, "aborted")
		r.Steady = &Steady{QueueTime: &l, EndToEnd: &l, OldestMS: l.P999, Depth: Depth{Growing: rapid.Bool().Draw(t, "growing")}}
		m := &Metrics[rapid.IntRange(0, len(Metrics)-1).Draw(t, "metric")]
		th := Threshold{Metric: m, Op: rapid.SampledFrom(operators).Draw(t, "op"), Value: rapid.Float64Range(0, 1e5).Draw(t, "limit")}
		switch {
		case m.Unit == "ms" || m.Unit == "%":
			th.Unit = m.Unit
		case m.Total != nil && rapid.Bool().Draw(t, "share"):
			th.Unit = "%"
		}
		if truth, value := th.Check(r); truth == True {
			if err := th.CanBreak(&asked); err != nil {
				t.Fatalf("%s (%s): %v", th, value, err)
			}
		}
	})
}
