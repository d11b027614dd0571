package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"qbench/internal/result"
)

// writeResults writes a result file of made-up runs, for the cases of the gate
// that no real server decides. The arguments are words: "runs=10 strategy=NAME"
// begins runs of a strategy, and those after it change them: orders=N per second,
// noise=PERCENT to either side in turn, drift=PERCENT from the first to the last,
// queue_p99=MS (with producers), aborted=N of the runs, unaudited=N, index=NAME,
// minute=N when the first began.
func writeResults(path string, words []string) error {
	type group struct {
		runs, aborted, unaudited, minute int
		strategy, index                  string
		orders, noise, drift, queue      float64
	}
	var groups []*group
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if name == "runs" {
			groups = append(groups, &group{strategy: "skip-locked", orders: 5000, noise: 1})
		}
		if len(groups) == 0 {
			return fmt.Errorf("%s: runs=N comes first", word)
		}
		g := groups[len(groups)-1]
		n, err := strconv.ParseFloat(value, 64)
		switch name {
		case "strategy":
			g.strategy, err = value, nil
		case "index":
			g.index, err = value, nil
		case "runs":
			g.runs = int(n)
		case "orders":
			g.orders = n
		case "noise":
			g.noise = n
		case "drift":
			g.drift = n
		case "queue_p99":
			g.queue = n
		case "aborted":
			g.aborted = int(n)
		case "unaudited":
			g.unaudited = int(n)
		case "minute":
			g.minute = int(n)
		default:
			return fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return err
		}
	}
	f := &result.File{Environment: result.Environment{ServerVersion: "15.18"}}
	start := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for _, g := range groups {
		for i := range g.runs {
			// Neighbours lie on either side, so that order means nothing.
			factor := 1 + g.noise/100*float64((i*7)%10-5)/5 + g.drift/100*float64(i)/float64(max(1, g.runs-1))
			orders := int64(g.orders * 10 * factor)
			r := &result.Run{
				Configuration: result.Configuration{Strategy: g.strategy, Workload: "orders", Layout: "plain", Mode: "prepared", Clients: 8, Index: g.index},
				Repeat:        i + 1, StartedAt: start.Add(time.Duration(g.minute+i) * time.Minute), CountsOrders: true,
				DurationS: 10, OrdersPerS: float64(orders) / 10, TPS: float64(orders) / 10,
				Stats: result.Stats{Orders: orders, Transactions: orders},
				Audit: &result.Audit{OK: true},
			}
			if i < g.aborted {
				r.AbortedClients = 3
			}
			if i < g.unaudited {
				r.Audit.NotMade("the server was gone")
			}
			if g.queue > 0 {
				q := g.queue * factor
				r.Enqueue = result.Enqueue{Producers: 1, Rate: 500, Batch: 1}
				r.Producers = &result.Producers{Clients: 1}
				r.Steady = &result.Steady{TimedOrders: orders, QueueTime: &result.Latency{Mean: q, P50: q, P90: q, P95: q, P99: q, P999: q, Max: q}}
			}
			f.Runs = append(f.Runs, r)
		}
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := result.Write(out, f); err != nil {
		return err
	}
	return out.Close()
}
