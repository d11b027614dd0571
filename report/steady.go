package report

import (
	"fmt"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// producers says what the producers did, and how the queue fared between them
// and the clients.
func (p *page) producers(r *result.Run) {
	g, batch := r.Producers, 1
	if r.Steady != nil {
		batch = max(1, r.Enqueue.Batch)
	}
	asked := ""
	if g.Rate > 0 {
		asked = fmt.Sprintf(" of %s/s asked for", rate(g.Rate*float64(batch)))
	}
	each := ""
	if batch > 1 {
		each = fmt.Sprintf(", %s per transaction", amount.Grouped(int64(batch)))
	}
	p.labelled("producers", "%s: %s enqueued%s, %s orders/s%s; %s failed, %s in doubt",
		amount.Count(int64(g.Clients), "client"), amount.Count(g.Orders, "order"), each, rate(g.OrdersPerS), asked,
		amount.Grouped(g.Failed()), amount.AtLeast(g.InDoubt, g.InDoubtUnknown))
	if g.Transactions > 0 {
		p.latencies("  latency", g.Latency)
	}
	if r.Steady != nil {
		p.steady(r)
	}
}

func (p *page) steady(r *result.Run) {
	s := r.Steady
	if s.QueueTime != nil {
		p.grid("queue time", statistics(waitText(s.QueueTimeOf)))
		note := "from the INSERT until the order was taken"
		if s.EndToEnd != nil {
			p.grid("end to end", statistics(waitText(s.EndToEndOf)))
			note += ", and until it was recorded as done"
		}
		p.labelled("", "of all %s that came in the run, from the tables: %s%s", amount.Count(s.TimedOrders, "order"), note, openNote(s))
	}
	if s.Waiting > 0 {
		p.labelled("waiting", "%s at the end; the oldest for %s", amount.Count(s.Waiting, "order"), seconds(s.OldestMS/1000))
	}
	d := &s.Depth
	style := plain
	if d.Growing {
		style = alarm
	}
	p.wrap(padRight("depth", labelWidth), strings.Repeat(" ", labelWidth), style, fmt.Sprintf("%s at the start, %s at the end, at most %s; %s",
		amount.Grouped(d.Start), amount.Grouped(d.End), amount.Grouped(d.Max), trendText(d)))
	if r.Enqueue.Notify {
		p.labelled("idle clients", "wait for a notification, %s at most", seconds(r.Enqueue.PollMS/1000))
	} else {
		p.labelled("idle clients", "look again after %s ms", millis(r.Enqueue.PollMS))
	}
}

// waitText words what is known of a time: "> 4553" where orders that still wait
// decide it, and an interval where they may change it.
func waitText(of func(func(*result.Latency) float64) (result.Estimate, bool)) func(func(*result.Latency) float64) string {
	return func(value func(*result.Latency) float64) string {
		e, _ := of(value)
		return e.Text(millis)
	}
}

// openNote says how many orders have no time yet.
func openNote(s *result.Steady) string {
	switch {
	case s.TimedWaiting > 0 && s.EndToEnd != nil && s.TimedUnfinished > s.TimedWaiting:
		return fmt.Sprintf("; %s not taken and %s not done at the end, and each counts as at least its age", areOrders(s.TimedWaiting), amount.Grouped(s.TimedUnfinished))
	case s.TimedWaiting > 0:
		return fmt.Sprintf("; %s not taken at the end, and each counts as at least its age", areOrders(s.TimedWaiting))
	case s.EndToEnd != nil && s.TimedUnfinished > 0:
		return fmt.Sprintf("; %s not done at the end, and each counts as at least its age", areOrders(s.TimedUnfinished))
	}
	return ""
}

// trendText says whether the queue is kept short.
func trendText(d *result.Depth) string {
	word := d.Trend
	if d.Growing {
		word = "GROWING"
	}
	return word + ": " + d.Reason
}

// steadyWarnings say what a queue that is fed is not what it seems in.
func steadyWarnings(r *result.Run, warn warner) {
	switch a := r.Audit; {
	case a == nil || a.Orphans == 0:
	case r.Workload == "jobs":
		warn("%s picked but not completed, because the worker was lost, or was to try again after a deadlock when the run ended; nobody gives them back", areOrders(a.Orphans))
	default:
		warn("%s claimed but not completed, because the worker was lost (or seeded as such by --claimed), and no other one will take them; "+
			"--strategy claim-reclaim gives them back after its lease", areOrders(a.Orphans))
	}
	if r.Steady == nil {
		return
	}
	d := &r.Depth
	if d.Growing && d.SlopePerS != nil {
		warn("the queue grows by %s orders/s: more comes in than is taken out, so queue times have no limit and say how long the run was; "+
			"raise -c, or lower --enqueue-rate", rate(d.SlopePerS.Value))
	}
	if p := r.Producers; p != nil && p.Rate > 0 && p.TPS < rateReached*p.Rate && !r.Interrupted && r.DurationS > 0 {
		warn("the producers did not reach their rate: %s of %s orders/s; raise --producers or --enqueue-batch",
			rate(p.OrdersPerS), rate(p.Rate*float64(max(1, r.Enqueue.Batch))))
	}
}

func areOrders(n int64) string {
	if n == 1 {
		return "1 order is"
	}
	return amount.Grouped(n) + " orders are"
}

// steadyColumns are those of runs with producers; none where there are not any.
func (k *ranking) steadyColumns(newColumn func(title string, right bool, leftOut int, cell func(*entry) string) column) []column {
	fed := false
	for i := range k.entries {
		fed = fed || k.entries[i].runs[0].Steady != nil
	}
	if !fed {
		return nil
	}
	of := func(value func(*result.Run) string) func(*entry) string {
		return func(e *entry) string {
			if r := k.medianRun(e); r.Steady != nil {
				return value(r)
			}
			return "-"
		}
	}
	return append([]column{},
		newColumn("enqueued/s", true, 5, of(func(r *result.Run) string { return rate(r.Producers.OrdersPerS) })),
		newColumn("queue p99 ms", true, 6, of(func(r *result.Run) string {
			if r.QueueTime == nil {
				return "-"
			}
			return millis(r.QueueTime.P99)
		})),
		newColumn("depth", false, 7, of(func(r *result.Run) string { return r.Depth.Trend })))
}
