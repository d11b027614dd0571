package bench

import (
	"testing"
	"time"

	"qbench/internal/result"
	"qbench/scenarios"
)

// The queue time ends before the work begins and the end-to-end time after it,
// whatever the strategy: they differ by the work and no less.
func TestWorkIsNoQueueTime(t *testing.T) {
	t.Parallel()
	const workMS = 20
	for _, s := range scenarios.List() {
		if !s.HasParam("work") || s.Workload == "jobs" { // jobs do not record when they are done
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			tg := target(t)
			spec := small(mix(t, s.Name))
			spec.Clients, spec.Queue.Orders, spec.Load.Transactions = 2, 0, 40
			spec.Load.Variables = map[string]string{"work": "20000"}
			spec.Feed = &Feed{Clients: 1, Batch: 1, Poll: 20 * time.Millisecond}
			if s.HasParam("batch") {
				spec.Load.Variables["batch"] = "2"
			}
			res := execute(t, tg, spec, Hooks{})
			// Of orders that are not done yet the upper bounds are infinite in both.
			p50 := func(l *result.Latency) float64 { return l.P50 }
			queue, _ := res.QueueTimeOf(p50)
			total, ok := res.EndToEndOf(p50)
			if !ok || total.High < queue.High+workMS {
				t.Errorf("p50 of the queue time %v, end to end %v: less than %d ms of work between them", queue, total, workMS)
			}
			if s.Name != "for-update" {
				return
			}
			// Each waits for the lock of the one before, which is held for the work:
			// orders are taken that far apart, whenever their transactions began.
			apart := query(t, tg, `select (min(apart) * 1000)::int8 from (
				select extract(epoch from uts - lag(uts) over (order by uts)) as apart from t_order_u) s`)
			if apart < workMS {
				t.Errorf("two orders were taken within %d ms, though a lock was held for %d", apart, workMS)
			}
		})
	}
}
