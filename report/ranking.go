package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// spread is what repeats of one thing gave.
type spread struct{ median, min, max float64 }

func spreadOf(runs []*result.Run, value func(*result.Run) float64) spread {
	samples := make([]float64, len(runs))
	for i, r := range runs {
		samples[i] = value(r)
	}
	return spread{median(samples), slices.Min(samples), slices.Max(samples)}
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
	p50, p99               spread // ms
	ratio                  float64
	emptyPercent           float64
	audit                  AuditState // the worst of the runs
	aborted                aborts
	unlogged, countsOrders bool
}

// ranking orders configurations by orders/s, or by tps where no run counts
// orders. A configuration with a run whose audit failed or is missing has
// no place: its numbers are not proved, and it comes after all others.
type ranking struct {
	entries  []entry
	byOrders bool
	repeats  bool   // some entry has several runs
	warning  string // "" where all ran on the same durability
}

func rank(runs []*result.Run) ranking {
	groups, order := map[string][]*result.Run{}, []string(nil)
	var k ranking
	for _, r := range runs {
		key := configuration(r)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], r)
		k.byOrders = k.byOrders || r.CountsOrders
	}
	varying := varyingParams(runs)
	for _, key := range order {
		e := newEntry(groups[key], varying)
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
		name := e.strategy
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

func newEntry(runs []*result.Run, varying []string) entry {
	r := runs[0]
	e := entry{
		runs: runs, strategy: clean(r.Strategy), layout: clean(layoutName(r)), mode: clean(string(r.Mode)), clients: r.Clients,
		unlogged: unlogged(r), countsOrders: r.CountsOrders, aborted: abortsOf(runs),
		ordersPerS: spreadOf(runs, func(r *result.Run) float64 { return r.OrdersPerS }),
		tps:        spreadOf(runs, func(r *result.Run) float64 { return r.TPS }),
		p50:        spreadOf(runs, func(r *result.Run) float64 { return r.Latency.P50 }),
		p99:        spreadOf(runs, func(r *result.Run) float64 { return r.Latency.P99 }),
		emptyPercent: spreadOf(runs, func(r *result.Run) float64 {
			return percent(r.Empty, r.Transactions)
		}).median,
	}
	for _, name := range varying {
		if v, ok := parameters(r)[name]; ok {
			e.strategy += " " + clean(name+"="+v)
		}
	}
	for _, r := range runs {
		e.audit = max(e.audit, AuditOf(r))
	}
	return e
}

// title names a line of the ranking outside of its table.
func (e *entry) title() string {
	parts := []string{e.strategy, e.layout, amount.Count(int64(e.clients), "client"), e.mode}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func unlogged(r *result.Run) bool { return r.Unlogged || r.Layout == "unlogged" }

// parameters are those that make two runs of a strategy different things:
// the script's own, and what was asked of the load.
func parameters(r *result.Run) map[string]string {
	m := map[string]string{}
	maps.Copy(m, r.Params.Map())
	if r.Rate > 0 {
		m["rate"] = fmt.Sprintf("%g", r.Rate)
	}
	if r.Partitions > 0 {
		m["partitions"] = fmt.Sprint(r.Partitions)
	}
	if r.MaxTries > 1 {
		m["max-tries"] = fmt.Sprint(r.MaxTries)
	}
	if r.Reconnect {
		m["connect"] = "yes"
	}
	if r.Producers != nil {
		m["producers"] = fmt.Sprint(r.Producers.Clients)
		if r.Producers.Rate > 0 {
			m["enqueue-transactions/s"] = fmt.Sprintf("%g", r.Producers.Rate)
		}
	}
	if r.Steady != nil {
		m["enqueue-batch"], m["poll-ms"] = fmt.Sprint(r.Enqueue.Batch), fmt.Sprintf("%g", r.Enqueue.PollMS)
		if r.Enqueue.Notify {
			m["notify"] = "yes"
		}
	}
	if r.Index != "" {
		m["index"] = r.Index
	}
	if r.Pool > 0 {
		m["pool"] = fmt.Sprint(r.Pool)
	}
	if r.Claimed > 0 {
		m["claimed"] = fmt.Sprint(r.Claimed)
	}
	if r.PayloadBytes > 0 {
		m["payload-bytes"] = fmt.Sprint(r.PayloadBytes)
	}
	return m
}

// configuration is equal for the repeats of one thing.
func configuration(r *result.Run) string {
	return fmt.Sprintf("%q", append([]string{r.Strategy, r.Workload, layoutName(r), string(r.Mode), fmt.Sprint(r.Clients)}, pairs(parameters(r))...))
}

// varyingParams names the parameters that some strategy was given with
// different values: only these tell its runs apart.
func varyingParams(runs []*result.Run) []string {
	values := map[string]map[string]map[string]bool{} // parameter, strategy, value
	for _, r := range runs {
		for name, v := range parameters(r) {
			if values[name] == nil {
				values[name] = map[string]map[string]bool{}
			}
			if values[name][r.Strategy] == nil {
				values[name][r.Strategy] = map[string]bool{}
			}
			values[name][r.Strategy][v] = true
		}
	}
	var out []string
	for name, strategies := range values {
		for strategy, seen := range strategies {
			// A parameter that only some runs of the strategy have is a
			// difference as well.
			for _, r := range runs {
				if _, has := parameters(r)[name]; r.Strategy == strategy && !has {
					seen[""] = true
				}
			}
			if len(seen) > 1 {
				out = append(out, name)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}
