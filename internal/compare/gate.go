package compare

import (
	"fmt"
	"slices"

	"qbench/internal/result"
)

// TailSlowdown is what is tolerated of a latency that is in the gate by default:
// the p99 of runs of the same thing differs by tens of per cent, where the
// throughput differs by few.
const TailSlowdown = 0.5

// shown are the metrics that are judged next to those of the gate.
func (o Options) shown(base, new []*result.Run) []string {
	switch {
	case len(o.Show) > 0:
		return o.Show
	case countsOrders(base) || countsOrders(new):
		return []string{"orders_per_s", "p50", "p99", "client_cpu_per_order"}
	}
	return []string{"tps", "p50", "p99", "client_cpu_per_tx"}
}

// gate names the metrics that decide about these runs. By default that is the
// throughput, and a latency where the throughput is that of the input: the queue
// time where producers set it, the latency under --rate.
func (o Options) gate(base, new []*result.Run) []string {
	if len(o.Gate) > 0 {
		return o.Gate
	}
	gate := []string{"tps"}
	if countsOrders(base) || countsOrders(new) {
		gate[0] = "orders_per_s"
	}
	if slices.ContainsFunc(base, hasProducers) && slices.ContainsFunc(new, hasProducers) {
		gate = append(gate, "queue_p99")
	}
	if slices.ContainsFunc(base, hasRate) && slices.ContainsFunc(new, hasRate) {
		gate = append(gate, "p99")
	}
	return gate
}

// Tolerated is the tolerated slowdown of a metric that decides.
func (o Options) Tolerated(metric string) float64 {
	if v, given := o.Tolerate[metric]; given {
		return v
	}
	if len(o.Gate) == 0 && (metric == "queue_p99" || metric == "p99") {
		return max(TailSlowdown, o.MaxSlowdown)
	}
	return o.MaxSlowdown
}

// metrics resolves the names for these runs; the first gated ones decide.
func (o Options) metrics(base, new []*result.Run) (metrics []*result.Metric, gated int, err error) {
	gate := o.gate(base, new)
	seen := map[string]bool{}
	for i, name := range slices.Concat(gate, o.shown(base, new)) {
		m, err := result.LookupMetric(name)
		if err != nil {
			return nil, 0, err
		}
		if seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		metrics = append(metrics, m)
		if i < len(gate) {
			gated++
		}
	}
	return metrics, gated, nil
}

// check finds mistakes in the options.
func (o Options) check() error {
	if !(o.MaxSlowdown >= 0 && o.MaxSlowdown < 1) {
		return fmt.Errorf("maximum slowdown %g: it must be at least 0 and below 1 (5%% is 0.05)", o.MaxSlowdown)
	}
	for name, v := range o.Tolerate {
		if !(v >= 0 && v < 1) {
			return fmt.Errorf("maximum slowdown of %s %g: it must be at least 0 and below 1 (5%% is 0.05)", name, v)
		}
	}
	if !(o.Alpha > 0 && o.Alpha < 0.5) {
		return fmt.Errorf("level %g: it must lie between 0 and 0.5", o.Alpha)
	}
	if !slices.Contains(result.UndecidedRules, o.Undecided) {
		return fmt.Errorf("unknown rule for undecided comparisons %q: one of %v", o.Undecided, result.UndecidedRules)
	}
	_, _, err := o.metrics(nil, nil)
	return err
}

func countsOrders(runs []*result.Run) bool {
	return slices.ContainsFunc(runs, func(r *result.Run) bool { return r.CountsOrders })
}

func hasProducers(r *result.Run) bool { return r.Producers != nil || r.Enqueue.Producers > 0 }

func hasRate(r *result.Run) bool { return r.Rate > 0 }
