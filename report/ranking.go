package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// spread is what repeats of one thing gave.
type spread struct{ median, min, max float64 }

func spreadOf(runs []*result.Run, value func(*result.Run) float64) spread {
	samples := make([]float64, len(runs))
	for i, r := range runs {
		samples[i] = value(r)
	}
	return spread{stats.Median(samples), slices.Min(samples), slices.Max(samples)}
}

// entry is one line of a ranking: all repeats of one configuration. A run is
// one sample, so every number is the median of the runs' own numbers; pooling
// the latencies instead would let one bad run hide among good ones.
type entry struct {
	place int // from 1; 0 is not ranked
	runs  []*result.Run

	strategy string // with the parameters that tell entries apart
	layout   string
	mode     string
	clients  int

	ordersPerS, tps        spread
	ratio                  float64
	audit                  AuditState // the worst of the runs
	aborted                aborts
	unlogged, countsOrders bool
}

// ranking orders configurations by orders/s, or by tps where no run counts
// orders. A configuration with a run whose audit failed or is missing has
// no place: its numbers are not proved, and it comes after all others.
type ranking struct {
	names    naming
	entries  []entry
	byOrders bool
	repeats  bool   // some entry has several runs
	warning  string // "" where all ran on the same durability
}

func rank(runs []*result.Run) ranking {
	k := ranking{names: nameRuns(runs)}
	groups := map[result.Configuration][]*result.Run{}
	for _, r := range runs {
		groups[r.Configuration] = append(groups[r.Configuration], r)
		k.byOrders = k.byOrders || r.CountsOrders
	}
	for _, c := range distinct(runs) {
		e := newEntry(groups[c], k.names)
		k.repeats = k.repeats || len(e.runs) > 1
		k.entries = append(k.entries, e)
	}
	slices.SortStableFunc(k.entries, func(a, b entry) int {
		if va, vb := k.valid(&a), k.valid(&b); va != vb {
			if va {
				return -1
			}
			return 1
		}
		return -cmp.Compare(k.score(&a), k.score(&b))
	})
	for i := range k.entries {
		e := &k.entries[i]
		if !k.valid(e) {
			break
		}
		e.place = i + 1
		if first := k.score(&k.entries[0]); first > 0 {
			e.ratio = k.score(e) / first
		}
	}
	k.warning = k.durabilityWarning()
	return k
}

func (k *ranking) valid(e *entry) bool {
	return e.audit.Proved() && e.countsOrders == k.byOrders
}

func (k *ranking) score(e *entry) float64 {
	if k.byOrders {
		return e.ordersPerS.median
	}
	return e.tps.median
}

// durabilityWarning says which of the entries a crash would empty, where only
// some of them would be.
func (k *ranking) durabilityWarning() string {
	var unlogged, logged []string
	for i := range k.entries {
		e := &k.entries[i]
		name := clean(e.runs[0].Strategy)
		if e.unlogged {
			unlogged = append(unlogged, name)
		} else {
			logged = append(logged, name)
		}
	}
	if len(unlogged) == 0 || len(logged) == 0 {
		return ""
	}
	list := func(names []string) string {
		return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
	}
	return fmt.Sprintf("durability differs: %s ran on unlogged tables, which a crash empties, and %s on logged ones; "+
		"their ranks do not compare like with like (run all with --unlogged, or none)", list(unlogged), list(logged))
}

// newEntry is the entry of runs of one configuration.
func newEntry(runs []*result.Run, names naming) entry {
	r := runs[0]
	e := entry{
		runs: runs, strategy: clean(names.strategy(r)), layout: clean(r.LayoutName()), mode: clean(r.Mode), clients: r.Clients,
		unlogged: unlogged(r), countsOrders: r.CountsOrders, aborted: abortsOf(runs),
		ordersPerS: spreadOf(runs, func(r *result.Run) float64 { return r.OrdersPerS }),
		tps:        spreadOf(runs, func(r *result.Run) float64 { return r.TPS }),
	}
	for _, r := range runs {
		e.audit = max(e.audit, AuditOf(r))
	}
	return e
}

// value is the median of the runs' values of a metric; where only bounds are
// known of some, the median lies between the medians of the bounds. It is false
// where no run has the metric.
func (e *entry) value(of func(*result.Run) (result.Estimate, bool)) (result.Estimate, bool) {
	var values, lows, highs []float64
	for _, r := range e.runs {
		if v, ok := of(r); ok {
			values, lows, highs = append(values, v.Value), append(lows, v.Low), append(highs, v.High)
		}
	}
	return result.Estimate{Value: stats.Median(values), Low: stats.Median(lows), High: stats.Median(highs)}, len(values) > 0
}

// title names a line of the ranking outside of its table.
func (e *entry) title() string {
	parts := []string{e.strategy, e.layout, amount.Count(int64(e.clients), "client"), e.mode}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func unlogged(r *result.Run) bool { return r.Unlogged || r.Layout == "unlogged" }
