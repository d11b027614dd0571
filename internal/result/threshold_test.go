package result

import (
	"math"
	"strings"
	"testing"
)

func measured() *Run {
	return &Run{
		Configuration: Configuration{Strategy: "skip-locked", Layout: "plain", Mode: "prepared", Clients: 8},
		CountsOrders:  true,
		OrdersPerS:    4321.5, TPS: 5000,
		Stats: Stats{
			Transactions: 900, Orders: 750, Empty: 150, Skipped: 50, Late: 9, Retried: 20, Retries: 31,
			Failures: Failures{Serialization: 30, Deadlock: 20},
		},
		Latency: Latency{Mean: 1.5, P50: 1, P90: 2, P95: 3, P99: 20, P999: 45.25, Max: 1234},
		Audit:   &Audit{OK: true, Lost: 2, Remaining: 7},
		Client:  ClientUse{CPUShare: 0.425, CPUSeconds: 1},
		Steady:  &Steady{QueueTime: &Latency{P99: 7, P999: 8}, EndToEnd: &Latency{P99: 9}, Depth: Depth{Max: 40}},
	}
}

// check is the threshold with the value where the condition is not known to be
// false, "" where it is.
func check(th Threshold, r *Run) string {
	truth, value := th.Check(r)
	switch truth {
	case True:
		return th.String() + ": " + value
	case Unknown:
		return th.String() + "? " + value
	}
	return ""
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, fails string }{
		{"p99>20ms", ""},
		{"p99>=20ms", "p99>=20ms: p99 is 20 ms"},
		{"p99 > 19.99ms", "p99>19.99ms: p99 is 20 ms"},
		{"p99<0.5s", "p99<0.5s: p99 is 0.02 s"},
		{"p99>20.00001ms", ""},
		{"p50>900us", "p50>900us: p50 is 1000 us"},
		{"p50>900µs", "p50>900us: p50 is 1000 us"},
		{"p99.9>45ms", "p99_9>45ms: p99_9 is 45.2 ms"},
		{"p99_9<45.251ms", "p99_9<45.251ms: p99_9 is 45.2 ms"},
		{"max>1s", "max>1s: max is 1.23 s"},
		{"mean<=1.5ms", "mean<=1.5ms: mean is 1.5 ms"},
		{"p90>1e0ms", "p90>1ms: p90 is 2 ms"},
		{"p95>1e-3s", "p95>0.001s: p95 is 0.003 s"},
		{"queue_p99>6ms", "queue_p99>6ms: queue_p99 is 7 ms"},
		{"queue_p99.9>6ms", "queue_p99_9>6ms: queue_p99_9 is 8 ms"},
		{"e2e_p99>9ms", ""},
		{"depth_max>39", "depth_max>39: depth_max is 40"},
		{"orders_per_s<5000", "orders_per_s<5000: orders_per_s is 4321.5"},
		{"orders_per_s<4000", ""},
		{"tps<5000.1", "tps<5000.1: tps is 5000"},
		{"transactions<1000", "transactions<1000: transactions is 900"},
		{"orders<751", "orders<751: orders is 750"},
		{"empty>10%", "empty>10%: empty is 16.7%"},
		{"empty>16.6667%", ""},
		{"empty>16.66%", "empty>16.66%: empty is 16.7%"},
		{"empty>149", "empty>149: empty is 150"},
		{"failed>=5%", "failed>=5%: failed is 5%"},
		{"failed>0", "failed>0: failed is 50"},
		{"skipped>=5%", "skipped>=5%: skipped is 5%"},
		{"late>0.9%", "late>0.9%: late is 1%"},
		{"retried>1.9%", "retried>1.9%: retried is 2%"},
		{"retries>30", "retries>30: retries is 31"},
		{"lost>0", "lost>0: lost is 2"},
		{"duplicated>0", ""},
		{"in_doubt>0", ""},
		{"remaining<8", "remaining<8: remaining is 7"},
		{"aborted_clients>0", ""},
		{"client_cpu>40%", "client_cpu>40%: client_cpu is 42.5%"},
	} {
		th, err := ParseThreshold(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := check(th, measured()); got != c.fails {
			t.Errorf("%s: %q, want %q", c.text, got, c.fails)
		}
	}
}

// What a run does not have is no success.
func TestThresholdsUnmeasured(t *testing.T) {
	t.Parallel()
	r := &Run{Configuration: Configuration{Strategy: "mine.sql", Mode: "simple", Clients: 1}, Lag: &Latency{}}
	for text, want := range map[string]string{
		"p99>20ms":          "p99 was not measured: no transaction moved an order",
		"all_p99>20ms":      "all_p99 was not measured: no transaction succeeded",
		"empty>10%":         "empty was not measured: there was no transaction",
		"failed>1%":         "failed was not measured: there was no transaction",
		"lost>0":            "lost was not measured: the run has no audit",
		"orders_per_s<5000": "orders_per_s was not measured: no script of the run counts orders",
		"orders<1":          "orders was not measured: no script of the run counts orders",
		"queue_p99>1ms":     "queue_p99 was not measured: the run has no producers, or no order of theirs came",
		"e2e_max>1ms":       "e2e_max was not measured: the run has no producers, or no order of theirs came",
		"depth_max>1":       "depth_max was not measured: the run has no producers (--producers)",
		"lag_p99>1ms":       "lag_p99 was not measured: the run has no schedule (--rate), or no transaction succeeded",
		"client_cpu>80%":    "client_cpu was not measured: the run ended before its CPU time was read",
	} {
		th, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := check(th, r); got != th.String()+"? "+want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A bound decides a threshold only if the condition is the same at both ends.
func TestThresholdsOfBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, value string
		e           Estimate
		want        Truth
	}{
		{"p99>1s", "p99 is > 4.5 s", AtLeast(4500), True},
		{"p99>10s", "p99 is > 4.5 s", AtLeast(4500), Unknown},
		{"p99<10s", "p99 is > 4.5 s", AtLeast(4500), Unknown},
		{"p99<4s", "p99 is > 4.5 s", AtLeast(4500), False},
		{"p99>20ms", "p99 is 15 ms to 25 ms", Estimate{Value: 20, Low: 15, High: 25}, Unknown},
		{"p99>=15ms", "p99 is 15 ms to 25 ms", Estimate{Value: 20, Low: 15, High: 25}, True},
		{"p99>25ms", "p99 is 15 ms to 25 ms", Estimate{Value: 20, Low: 15, High: 25}, False},
		{"p99>30ms", "p99 was not measured: no transaction moved an order", Exactly(math.NaN()), Unknown},
	} {
		th, err := ParseThreshold(c.text)
		if err != nil {
			t.Fatal(err)
		}
		m := *th.Metric
		m.Of = func(*Run) (Estimate, bool) { return c.e, true }
		th.Metric = &m
		if truth, value := th.Check(&Run{}); truth != c.want || value != c.value {
			t.Errorf("%s of %+v: %v, %q; want %v, %q", c.text, c.e, truth, value, c.want, c.value)
		}
	}
}

func TestThresholdErrors(t *testing.T) {
	t.Parallel()
	names := "known are " + MetricList()
	for text, want := range map[string]string{
		"":                   `threshold "": column 1: expected the name of a metric; ` + names,
		"p98>20ms":           `threshold "p98>20ms": column 1: unknown metric "p98": did you mean "p90"?; ` + names,
		"  P99>20ms":         `threshold "  P99>20ms": column 3: unknown metric "P99": did you mean "p99"?; ` + names,
		">20ms":              `threshold ">20ms": column 1: expected the name of a metric; ` + names,
		"p99":                `threshold "p99": column 4: expected > >= < or <=, found ""`,
		"p99=20ms":           `threshold "p99=20ms": column 4: expected > >= < or <=, found "="`,
		"p99>>20ms":          `threshold "p99>>20ms": column 4: expected > >= < or <=, found ">>"`,
		"p99 20ms":           `threshold "p99 20ms": column 5: expected > >= < or <=, found "20ms"`,
		"p99>":               `threshold "p99>": column 5: expected a number, found ""`,
		"p99>ms":             `threshold "p99>ms": column 5: expected a number, found "ms"`,
		"p99>-1ms":           `threshold "p99>-1ms": column 5: expected a number, found "-1ms"`,
		"p99>1.2.3ms":        `threshold "p99>1.2.3ms": column 5: expected a number, found "1.2.3"`,
		"tps>1e999":          `threshold "tps>1e999": column 5: expected a number, found "1e999"`,
		"p99>20":             `threshold "p99>20": column 7: p99 is a time and takes us, ms or s, not ""`,
		"p99>20%":            `threshold "p99>20%": column 7: p99 is a time and takes us, ms or s, not "%"`,
		"p99>20 min":         `threshold "p99>20 min": column 8: p99 is a time and takes us, ms or s, not "min"`,
		"p99>20ms or so":     `threshold "p99>20ms or so": column 7: p99 is a time and takes us, ms or s, not "ms or so"`,
		"empty>10ms":         `threshold "empty>10ms": column 9: empty is a count and takes no unit, or % of transactions, not "ms"`,
		"client_cpu>0.5":     `threshold "client_cpu>0.5": column 15: client_cpu is a share and takes %, not ""`,
		"orders_per_s<5k":    `threshold "orders_per_s<5k": column 15: orders_per_s takes no unit, found "k"`,
		"orders_per_s<5e":    `threshold "orders_per_s<5e": column 15: orders_per_s takes no unit, found "e"`,
		"lost>0%":            `threshold "lost>0%": column 7: lost takes no unit, found "%"`,
		"orders_per_s<5,000": `threshold "orders_per_s<5,000": column 15: orders_per_s takes no unit, found ",000"`,
	} {
		if th, err := ParseThreshold(text); err == nil {
			t.Errorf("%q is accepted as %s", text, th)
		} else if err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
	}
}

func FuzzParseThreshold(f *testing.F) {
	for _, text := range []string{"p99>20ms", "orders_per_s<5000", "empty>10%", " p99.9 >= 1.5e1 µs ", "client_cpu<=50%", "lost>0", "p99>1e", "tps>.5", "p99>>1"} {
		f.Add(text)
	}
	r := measured()
	f.Fuzz(func(t *testing.T, text string) {
		th, err := ParseThreshold(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "threshold ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		again, err := ParseThreshold(th.String())
		if err != nil || again != th {
			t.Fatalf("%q is read as %s, which is read as %s (%v)", text, th, again, err)
		}
		if math.IsNaN(th.Value) || math.IsInf(th.Value, 0) || th.Value < 0 {
			t.Fatalf("%q has the value %g", text, th.Value)
		}
		if _, value := th.Check(r); !strings.HasPrefix(value, th.Metric.Name) || strings.Contains(value, "\n") {
			t.Fatalf("%s: %q", th, value)
		}
	})
}
