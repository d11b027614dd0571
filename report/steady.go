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
		asked = fmt.Sprintf(" of %s/s asked for", amount.Number(g.Rate*float64(batch)))
	}
	each := ""
	if batch > 1 {
		each = fmt.Sprintf(", %s per transaction", amount.Grouped(int64(batch)))
	}
	p.labelled("producers", "%s: %s enqueued%s, %s orders/s%s; %s failed, %s in doubt",
		amount.Count(int64(g.Clients), "client"), amount.Count(g.Orders, "order"), each, amount.Number(g.OrdersPerS), asked,
		amount.Grouped(g.Failed()), amount.AtLeast(g.InDoubt, g.InDoubtUnknown))
	if g.Transactions > 0 {
		p.latencies("  latency", exactly(&g.Latency))
	}
	if r.Steady != nil {
		p.steady(r)
	}
}

func (p *page) steady(r *result.Run) {
	s := r.Steady
	if s.QueueTime != nil {
		p.latencies("queue time", s.QueueTimeOf)
		note := "from the INSERT until the order was taken"
		if s.EndToEnd != nil {
			p.latencies("end to end", s.EndToEndOf)
			note += ", and until it was recorded as done"
		}
		p.labelled("", "of the %s that came in the run, from the tables: %s%s", amount.Count(s.TimedOrders, "order"), note, waitingText(s))
	}
	if s.Waiting > 0 {
		p.labelled("waiting", "%s at the end; the oldest for %s", amount.Count(s.Waiting, "order"), milliseconds(s.OldestMS))
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
		p.labelled("idle clients", "look again after %s ms", amount.Number(r.Enqueue.PollMS))
	}
}

// waitingText says how orders count that had not been taken, or not been done.
func waitingText(s *result.Steady) string {
	text := ""
	if s.TimedWaiting > 0 {
		text += fmt.Sprintf("; %s not taken at the end and counted with the age then, so \"> 5\" is known to be more than 5 ms", wasOrWere(s.TimedWaiting))
	}
	if n := s.TimedUnfinished - s.TimedWaiting; n > 0 && s.EndToEnd != nil {
		text += fmt.Sprintf("; %s taken but not done", wasOrWere(n))
	}
	return text
}

func wasOrWere(n int64) string {
	if n == 1 {
		return "1 order was"
	}
	return amount.Grouped(n) + " orders were"
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
			"raise -c, or lower --enqueue-rate", amount.Number(d.SlopePerS.Value))
	}
	if p := r.Producers; p != nil && p.Rate > 0 && p.TPS < rateReached*p.Rate && !r.Interrupted && r.DurationS > 0 {
		warn("the producers did not reach their rate: %s of %s orders/s; raise --producers or --enqueue-batch",
			amount.Number(p.OrdersPerS), amount.Number(p.Rate*float64(max(1, r.Enqueue.Batch))))
	}
}

func areOrders(n int64) string {
	if n == 1 {
		return "1 order is"
	}
	return amount.Grouped(n) + " orders are"
}
