package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/result"
)

// kind says which units a quantity takes.
type kind uint8

const (
	number       kind = iota // a rate: no unit
	duration                 // us, ms, s
	count                    // no unit
	countOrShare             // no unit, or %
	share                    // %
)

// quantity is something that a threshold can be put on, in milliseconds, per
// cent or as it is.
type quantity struct {
	name string
	kind kind
	of   func(*result.Run) (float64, bool)
	// whole names what a share is of, and total counts it.
	whole string
	total func(*result.Run) int64
	// absent says why a run has no value.
	absent string
}

func lookupQuantity(name string) *quantity {
	// The spelling of everyone who has not seen the result file.
	name = strings.Replace(name, "p99.9", "p99_9", 1)
	for i := range quantities {
		if quantities[i].name == name {
			return &quantities[i]
		}
	}
	return nil
}

func quantityNames() string {
	names := make([]string, len(quantities))
	for i, q := range quantities {
		names[i] = q.name
	}
	return strings.Join(names, ", ")
}

var quantities = slices.Concat([]quantity{
	{name: "orders_per_s", kind: number, absent: "the script counts no orders",
		of: func(r *result.Run) (float64, bool) { return r.OrdersPerS, r.CountsOrders }},
	{name: "tps", kind: number, of: func(r *result.Run) (float64, bool) { return r.TPS, true }},
}, latencyQuantities("", "no transaction succeeded", func(r *result.Run) *result.Latency {
	if r.Transactions == 0 {
		return nil
	}
	return &r.Latency
}), []quantity{
	countQuantity("transactions", func(r *result.Run) int64 { return r.Transactions }),
	{name: "orders", kind: count, absent: "the script counts no orders",
		of: func(r *result.Run) (float64, bool) { return float64(r.Orders), r.CountsOrders }},
	shareQuantity("empty", func(r *result.Run) int64 { return r.Empty }, "transactions", func(r *result.Run) int64 { return r.Transactions }),
	shareQuantity("failed", func(r *result.Run) int64 { return r.Failed() }, "all transactions", started),
	shareQuantity("skipped", func(r *result.Run) int64 { return r.Skipped }, "all transactions", started),
	shareQuantity("late", func(r *result.Run) int64 { return r.Late }, "transactions", func(r *result.Run) int64 { return r.Transactions }),
	shareQuantity("retried", func(r *result.Run) int64 { return r.Retried }, "all transactions", started),
	countQuantity("retries", func(r *result.Run) int64 { return r.Retries }),
	countQuantity("aborted_clients", func(r *result.Run) int64 { return int64(r.AbortedClients) }),
	auditQuantity("lost", func(a *result.Audit) int64 { return a.Lost }),
	auditQuantity("duplicated", func(a *result.Audit) int64 { return a.Duplicated }),
	auditQuantity("in_doubt", func(a *result.Audit) int64 { return a.InDoubt }),
	auditQuantity("remaining", func(a *result.Audit) int64 { return a.Remaining }),
	{name: "client_cpu", kind: share, whole: "this machine's cores",
		of: func(r *result.Run) (float64, bool) { return 100 * r.Client.CPUShare, true }},
	{name: "depth_max", kind: count, absent: noProducers,
		of: func(r *result.Run) (float64, bool) {
			if r.Steady == nil {
				return 0, false
			}
			return float64(r.Steady.Depth.Max), true
		}},
}, latencyQuantities("queue_", noProducers, func(r *result.Run) *result.Latency {
	if r.Steady == nil {
		return nil
	}
	return r.Steady.QueueTime
}), latencyQuantities("e2e_", noProducers, func(r *result.Run) *result.Latency {
	if r.Steady == nil {
		return nil
	}
	return r.Steady.EndToEnd
}))

const noProducers = "the run has no producers, or no order of theirs was done"

// started counts the transactions by the identity of result.Stats.
func started(r *result.Run) int64 { return r.Transactions + r.Failed() + r.Skipped }

// latencyQuantities are the statistics of one latency; of is nil where a run
// does not have it.
func latencyQuantities(prefix, absent string, of func(*result.Run) *result.Latency) []quantity {
	var list []quantity
	for _, statistic := range []struct {
		name string
		of   func(*result.Latency) float64
	}{
		{"mean", func(l *result.Latency) float64 { return l.Mean }},
		{"p50", func(l *result.Latency) float64 { return l.P50 }},
		{"p90", func(l *result.Latency) float64 { return l.P90 }},
		{"p95", func(l *result.Latency) float64 { return l.P95 }},
		{"p99", func(l *result.Latency) float64 { return l.P99 }},
		{"p99_9", func(l *result.Latency) float64 { return l.P999 }},
		{"max", func(l *result.Latency) float64 { return l.Max }},
	} {
		list = append(list, quantity{name: prefix + statistic.name, kind: duration, absent: absent,
			of: func(r *result.Run) (float64, bool) {
				l := of(r)
				if l == nil {
					return 0, false
				}
				return statistic.of(l), true
			}})
	}
	return list
}

func countQuantity(name string, of func(*result.Run) int64) quantity {
	return quantity{name: name, kind: count, of: func(r *result.Run) (float64, bool) { return float64(of(r)), true }}
}

func shareQuantity(name string, of func(*result.Run) int64, whole string, total func(*result.Run) int64) quantity {
	return quantity{name: name, kind: countOrShare, whole: whole, total: total, absent: "there was no transaction",
		of: func(r *result.Run) (float64, bool) { return float64(of(r)), true }}
}

func auditQuantity(name string, of func(*result.Audit) int64) quantity {
	return quantity{name: name, kind: count, absent: "the run has no audit",
		of: func(r *result.Run) (float64, bool) {
			if !r.Audit.Made() {
				return 0, false
			}
			return float64(of(r.Audit)), true
		}}
}

// measure gives the run's value in the base unit of the threshold.
func (t Threshold) measure(r *result.Run) (float64, bool) {
	v, ok := t.quantity.of(r)
	if ok && t.quantity.kind == countOrShare && t.unit == "%" {
		total := t.quantity.total(r)
		if total == 0 {
			return 0, false
		}
		v = 100 * v / float64(total)
	}
	return v, ok
}

// holds tells whether the condition is true of the run, and whether the run has
// the quantity at all.
func (t Threshold) holds(r *result.Run) (holds, measured bool) {
	v, ok := t.measure(r)
	if !ok {
		return false, false
	}
	limit := t.value
	if t.unit != "" {
		limit *= units[t.unit].size
	}
	switch t.op {
	case ">":
		return v > limit, true
	case ">=":
		return v >= limit, true
	case "<":
		return v < limit, true
	default:
		return v <= limit, true
	}
}

// Fails applies the threshold as --fail-if does: a run of which the condition
// is true fails, and so does one of which nobody can tell. The reason is one
// line.
func (t Threshold) Fails(r *result.Run) (reason string, failed bool) {
	holds, measured := t.holds(r)
	switch {
	case !measured:
		return fmt.Sprintf("%s: %s: not measured, %s", configOf(r), t, t.quantity.absent), true
	case holds:
		return fmt.Sprintf("%s: %s: %s", configOf(r), t, t.Value(r)), true
	}
	return "", false
}

// Value writes the run's value in the unit of the threshold: "p99 is 25.3 ms".
func (t Threshold) Value(r *result.Run) string {
	v, ok := t.measure(r)
	if !ok {
		return t.quantity.name + " was not measured"
	}
	unit := ""
	if t.unit != "" {
		v /= units[t.unit].size
		unit = " " + t.unit
	}
	// Three digits, and as many more as it takes to see on which side of the
	// limit it lies.
	decimals := 1
	if v > 0 {
		decimals = max(1, 2-int(math.Floor(math.Log10(v))))
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	for more := decimals; more < decimals+9; more++ {
		short := strconv.FormatFloat(v, 'f', more, 64)
		if back, err := strconv.ParseFloat(short, 64); err == nil && cmp.Compare(back, t.value) == cmp.Compare(v, t.value) {
			text = short
			break
		}
	}
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return t.quantity.name + " is " + text + unit
}
