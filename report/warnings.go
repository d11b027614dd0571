package report

import (
	"fmt"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Thresholds of the warnings. Each is where a number begins to mislead, not
// where it begins to be imperfect: a warning that is always there is not read.
const (
	// clientShareLimit is the share of all cores from which the load generator
	// takes from a server on the same machine what it should measure: at a
	// third, a server that got those cores could be up to half as fast again.
	clientShareLimit = 1.0 / 3
	// shortRun: pgbench's manual advises against runs of a few seconds, which
	// hold no checkpoint, no autovacuum and an unwarmed cache.
	shortRun = 5.0
	// tailSamples is how many samples have to lie beyond a percentile for it
	// to be more than a single event.
	tailSamples = 10
	// rateReached is the part of a rate that a run should reach; a Poisson
	// schedule of a thousand starts scatters by three per cent.
	rateReached = 0.95
	// drainedEarly is the part of the time asked for below which a drain is
	// worth a warning.
	drainedEarly = 0.95
)

// Warnings says what makes the numbers of a run mean less than they seem to:
// a sentence each, with the state, its cause and the flag that helps.
func Warnings(r *result.Run, env result.Environment) []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }

	completeness(r, warn)
	if text := droppedStarts(r); text != "" {
		warn("%s", text)
	}
	clientWarnings(r, env, warn)
	queueWarnings(r, warn)
	steadyWarnings(r, warn)
	durabilityWarnings(r, env, warn)
	sampleWarnings(r, warn)
	stationaryWarning(r, warn)
	return out
}

type warner func(format string, args ...any)

func completeness(r *result.Run, warn warner) {
	if r.AbortedClients > 0 {
		if all := allClients(r); r.AbortedClients < all {
			warn("%s were aborted: the results are incomplete, and the other %s had the server to themselves",
				Aborted(r), amount.Grouped(int64(all-r.AbortedClients)))
		} else {
			warn("all %s were aborted: the run ended early", amount.Count(int64(all), "client"))
		}
	}
	if r.Rate > 0 && r.TPS < rateReached*r.Rate && !r.Drained && !r.Interrupted && r.DurationS > 0 {
		warn("the rate was not reached: %s of %s transactions/s, because all clients were busy or the server is slower than that; "+
			"raise -c or lower -R", amount.Number(r.TPS), amount.Number(r.Rate))
	}
}

func clientWarnings(r *result.Run, env result.Environment, warn warner) {
	switch share := r.Client.CPUShare; {
	case share >= result.ClientSaturated:
		warn("the load generator is the bottleneck: it used %.0f%% of this machine's CPU, so the server could do more; "+
			"run it on another machine than the server (--dsn), or with fewer clients (-c)", 100*share)
	case share >= clientShareLimit && env.Disposable:
		warn("the load generator used %.0f%% of this machine's CPU, which the server on the same machine did not get; "+
			"for absolute numbers measure a server on another machine (--dsn)", 100*share)
	}
}

func queueWarnings(r *result.Run, warn warner) {
	if r.Drained && r.WantDurationS > 0 && r.DurationS < drainedEarly*r.WantDurationS {
		warn("the queue was drained after %s of %s, because it held too few orders; seed more with --orders", seconds(r.DurationS), seconds(r.WantDurationS))
	}
	if u := r.Partition; u != nil && u.Untouched > 0 {
		cause := "the script did not choose them"
		if r.Clients < u.Partitions {
			cause = fmt.Sprintf("%s serve %d partitions", amount.Count(int64(r.Clients), "client"), u.Partitions)
		}
		warn("%d of %d partitions starved: none of their orders was taken, because %s; "+
			"use --partitions %d, or --strategy partitioned-skip-locked, which rotates", u.Untouched, u.Partitions, cause, min(r.Clients, u.Partitions))
	}
}

func durabilityWarnings(r *result.Run, env result.Environment, warn warner) {
	if unlogged(r) {
		warn("the tables are unlogged: they write no WAL, and crash recovery empties them with all orders in them; " +
			"leave out --unlogged (--layout unlogged) to measure a queue that survives a crash")
	}
	for _, s := range []struct{ name, consequence string }{
		{"fsync", "commits do not wait for the disk and a crash of the machine can destroy the cluster"},
		{"synchronous_commit", "commits do not wait for the disk and a crash loses the last of them"},
		{"full_page_writes", "less WAL is written than on a server that survives a torn page"},
	} {
		if strings.EqualFold(env.Settings[s.name], "off") {
			flag := "change the server's configuration"
			if env.Disposable {
				flag = "--pg-setting " + s.name + "=on"
			}
			warn("%s is off: %s, so these numbers are not those of a durable server; to change it: %s", s.name, s.consequence, flag)
		}
	}
}

func sampleWarnings(r *result.Run, warn warner) {
	if h := r.LatencyHist; h != nil && h.Overflow() > 0 {
		warn("%s took longer than the 10 minutes that a histogram holds and count as 10 minutes in the percentiles; "+
			"mean and maximum are exact; -L counts such transactions as late", amount.Count(h.Overflow(), "transaction"))
	}
	if r.DurationS > 0 && r.DurationS < shortRun && !r.Interrupted {
		help := "-T 30"
		if r.Drained {
			help = "--orders and -T"
		}
		warn("the run took %s: too short for checkpoints, autovacuum and bloat to show; use a longer one (%s)", seconds(r.DurationS), help)
	}
	n, moved := r.Transactions, ""
	if r.CountsOrders && r.Empty > 0 { // the percentiles are of these alone
		n, moved = r.Transactions-r.Empty, " that moved an order"
	}
	if n > 0 && float64(n)/1000 < tailSamples {
		warn("fewer than %d samples lie beyond p99.9, because there were only %s%s; a longer run (-T) gives more",
			tailSamples, amount.Count(n, "transaction"), moved)
	}
}

// warningGroup is one warning of several runs.
type warningGroup struct {
	text   string // of the first of them
	about  []string
	differ bool // the texts do, in their numbers
}

// groupWarnings lists each warning once. Those that differ in their numbers
// only are one: a matrix would repeat them for each of its runs.
func groupWarnings(runs []*result.Run, names naming) []*warningGroup {
	var out []*warningGroup
	byShape := map[string]*warningGroup{}
	for _, r := range runs {
		for _, text := range r.Warnings {
			shape := strings.Map(func(c rune) rune {
				if strings.ContainsRune("0123456789.,", c) {
					return -1
				}
				return c
			}, text)
			g := byShape[shape]
			if g == nil {
				g = &warningGroup{text: text}
				byShape[shape] = g
				out = append(out, g)
			}
			g.differ = g.differ || text != g.text
			g.about = append(g.about, names.describe(r))
		}
	}
	return out
}

// runWarnings says below a table what makes the runs' numbers mean less.
func (p *page) runWarnings(groups []*warningGroup, runs int) {
	if len(groups) > 0 {
		p.line("")
	}
	for _, g := range groups {
		p.wrap("warning: ", "         ", caution, g.text+g.which(runs))
	}
}

// which names the runs, where they are not all.
func (g *warningGroup) which(all int) string {
	switch n := len(g.about); {
	case all == 1:
		return ""
	case n == 1:
		return fmt.Sprintf(" (%s)", g.about[0])
	case n == all && !g.differ:
		return " (all runs)"
	case n == all:
		return fmt.Sprintf(" (all runs; this is %s)", g.about[0])
	default:
		return fmt.Sprintf(" (%s; the like holds for %d more of %d runs)", g.about[0], n-1, all)
	}
}
