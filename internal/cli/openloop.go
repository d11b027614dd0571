package cli

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"qbench/internal/amount"
	"qbench/internal/bench"
	"qbench/internal/result"
)

// openLoopFlags let the load follow the schedule alone.
func openLoopFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "open-loop", Category: categoryLoad, Usage: "under -R: put a further client to work whenever all others are busy, up to --max-clients, so that a slow server does not slow the starts down; starts that no client was free for are counted as dropped, and with -L those that came too late as skipped"},
		&cli.StringFlag{Name: "max-clients", Category: categoryLoad, Usage: "`N`: clients of --open-loop; all are connected beforehand"},
	}
}

// readOpenLoop returns the number of clients of --open-loop, 0 without it. The
// runner's schedule belongs to no client: whoever is free takes the next start.
// So all clients that may be needed are there from the beginning and idle, and
// none has to be connected at the worst moment.
func readOpenLoop(v *values) int {
	if !v.c.Bool("open-loop") {
		if v.given("max-clients") {
			v.fail("--max-clients is for --open-loop: give that too, or the number of clients with -c")
		}
		return 0
	}
	for flag, why := range map[string]string{
		"rate":        "--open-loop needs a schedule to follow: give one with -R",
		"max-clients": "--open-loop needs a limit: give the most clients with --max-clients",
	} {
		if !v.given(flag) {
			v.fail("%s", why)
		}
	}
	if v.given("client") {
		v.fail("under --open-loop the number of clients follows from the load: leave out -c, or leave out --open-loop")
	}
	if v.given("transactions") {
		v.fail("under --open-loop no client has a number of transactions of its own: give -T instead of -t")
	}
	if v.err != nil {
		return 0
	}
	return int(v.integer("max-clients", "clients", 1, maxClients))
}

// droppedStarts says how many starts of an open loop were never made, "" where
// none were. The schedule's moments are random, so that a difference within
// their scatter is none.
func droppedStarts(r *result.Run) string {
	if r.Drained || r.Interrupted || r.WantDurationS == 0 {
		return ""
	}
	const sure = 3 // standard deviations
	due := r.Rate * r.WantDurationS
	dropped := due - float64(r.Transactions+r.Failed()+r.Skipped)
	if dropped <= sure*math.Sqrt(due) {
		return ""
	}
	return fmt.Sprintf("about %s of %s starts were dropped: all %d clients were busy; raise --max-clients, or the server bears no more",
		amount.Grouped(int64(dropped)), amount.Grouped(int64(due)), r.Clients)
}

// busyClients is how many clients an open loop kept at work on average, by
// Little's law: the rate times the time that each transaction took.
func busyClients(r *result.Run) float64 {
	took := r.Latency.Mean
	if r.Lag != nil {
		took -= r.Lag.Mean
	}
	return max(0, r.TPS*took/1000)
}

// openLoop completes the result of a run whose clients followed a schedule.
func (m *matrix) openLoop(s bench.Spec, res *result.Run) {
	if !s.OpenLoop {
		return
	}
	m.con.note("open loop: %.1f of %d clients were at work on average, %s starts were skipped", busyClients(res), res.Clients, amount.Grouped(res.Skipped))
	if text := droppedStarts(res); text != "" {
		res.Warnings = append(res.Warnings, text)
	}
}
