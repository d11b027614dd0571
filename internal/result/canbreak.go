package result

import (
	"fmt"
	"math"
	"time"
)

// Asked is what is known of a run before it starts, as far as it decides which
// metrics the run will have and how large they can become.
type Asked struct {
	Clients int
	// Longest is warm-up, duration and grace together: how old an order or a
	// transaction can become. 0 is no bound.
	Longest time.Duration
	// Transactions is the most that all clients may start; 0 is no bound.
	Transactions int64
	// CountsOrders, Producers, Queue, Scheduled and Limited say whether a script
	// counts orders, and whether there are producers, tables to audit, a rate and a
	// latency limit.
	CountsOrders, Producers, Queue, Scheduled, Limited bool
}

func (a *Asked) has(n need) bool {
	return map[need]bool{
		needNothing: true, needOrders: a.CountsOrders, needProducers: a.Producers, needQueue: a.Queue,
		needSchedule: a.Scheduled, needLimit: a.Limited,
	}[n]
}

// Measured is an error that says why such a run will not have the threshold's
// metric; nil if it may.
func (t Threshold) Measured(a *Asked) error {
	if a.has(t.Metric.needs) {
		return nil
	}
	return fmt.Errorf("%s: the run will have no %s: %s", t, t.Metric.Name, lacks[t.Metric.needs])
}

// CanBreak is an error that says why the condition can be true of no such run;
// nil if it can. A run that had to be cut off at the end of the grace period may
// take a little longer than [Asked.Longest], so a time equal to it is accepted.
func (t Threshold) CanBreak(a *Asked) error {
	most, why := t.most(a)
	limit := t.limit()
	switch {
	case t.Op == "<" && limit <= 0:
		return fmt.Errorf("%s can never be true: %s is never below 0", t, t.Metric.Name)
	case t.Op == ">" && limit == most && t.Metric.Unit != "ms", (t.Op == ">" || t.Op == ">=") && limit > most:
		return fmt.Errorf("%s can never be true: %s is never above %s; use a lower limit", t, t.Metric.Name, why)
	}
	return nil
}

// most is the largest value that such a run can give, in the metric's own unit,
// with the reason.
func (t Threshold) most(a *Asked) (float64, string) {
	m := t.Metric
	switch {
	case t.Unit == "%":
		return 100, "100%"
	case m.Unit == "ms" && a.Longest > 0:
		return float64(a.Longest) / 1e6, fmt.Sprintf("warm-up, duration and grace together (%v)", a.Longest)
	case m.Name == "aborted_clients":
		return float64(a.Clients), fmt.Sprintf("the number of clients (%d)", a.Clients)
	case m.Name == "growing":
		return 1, "1"
	case (m.Name == "transactions" || m.Total != nil) && a.Transactions > 0:
		return float64(a.Transactions), fmt.Sprintf("the number of transactions asked for (%d)", a.Transactions)
	}
	return math.Inf(1), ""
}
