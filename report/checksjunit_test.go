package report

import (
	"bytes"
	"testing"

	"qbench/internal/result"
)

func TestGoldenChecksJUnit(t *testing.T) {
	t.Parallel()
	sound := &result.Run{
		Configuration: result.Configuration{Strategy: "skip-locked", Workload: "orders", Layout: "plain", Mode: "prepared", Clients: 8},
		CountsOrders:  true, OrdersPerS: 4000, Stats: result.Stats{Transactions: 40000, Orders: 40000},
		Latency: result.Latency{P99: 25}, Audit: &result.Audit{OK: true},
	}
	failed, aborted := *sound, *sound
	failed.Audit = &result.Audit{Lost: 2, Problems: []string{"2 orders are lost <&>"}}
	aborted.AbortedClients, aborted.Errors, aborted.Audit = 3, []string{"client 3: the server went\naway"}, nil
	var limits []result.Threshold
	for _, text := range []string{"p99>20ms", "orders_per_s<4000", "queue_p99>1s"} {
		limit, err := result.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		limits = append(limits, limit)
	}
	runs := []*result.Run{sound, &failed, &aborted}
	for name, pass := range map[string]bool{"checks.xml": false, "checks-pass.xml": true} {
		var b bytes.Buffer
		if err := ChecksJUnit(&b, runs, result.CheckAll(limits, runs), pass); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
	}
}
