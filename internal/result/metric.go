package result

import (
	"fmt"
	"slices"
	"strings"

	"qbench/internal/nearest"
)

// Direction says which values of a metric are good.
type Direction int

// The directions.
const (
	HigherIsBetter Direction = iota
	LowerIsBetter
)

// Group is what a metric is about; renderers that show all metrics head their
// sections with it.
type Group string

// The groups, in the order of [Metrics].
const (
	Throughput   Group = "throughput"
	OrderLatency Group = "latency of transactions that moved an order"
	EmptyLatency Group = "latency of empty transactions"
	AllLatency   Group = "latency of all transactions"
	ScheduleLag  Group = "lag behind the schedule"
	QueueTimes   Group = "queue time"
	EndToEnd     Group = "end-to-end time"
	Backlog      Group = "backlog"
	Counts       Group = "counts"
	Proof        Group = "audit"
	ClientCost   Group = "cost of the client"
)

// Metric is a number that a run has. Its name means the same in a table, a CSV
// column, a threshold, a gate and an SLO: all of them range over [Metrics].
type Metric struct {
	// Name is how users write it: p99, queue_p99, orders_per_s.
	Name string
	// Title heads the metric's column in a table, without the unit.
	Title string
	// Unit is "ms" for a time, "%" for a share, "" for a count, and for the others
	// what is printed behind the number.
	Unit   string
	Help   string
	Better Direction
	Group  Group
	// InTable says that the metric stands in the table of several runs; one that no
	// run has is left out there.
	InTable bool
	// Of is the run's value. Low and High differ from Value where only bounds are
	// known: of orders still waiting at the end, of commits not answered. false is a
	// run that has no value, and Absent says why.
	Of     func(*Run) (Estimate, bool)
	Absent string
	// Whole names what a count may be a share of, and Total counts that; a count
	// without both takes no "%".
	Whole string
	Total func(*Run) int64
	// needs is what a run must have been asked for to have the metric.
	needs need
}

// need is a part of what was asked of a run.
type need int

const (
	needNothing need = iota
	needOrders
	needProducers
	needQueue
	needSchedule
	needLimit
)

// lacks says why a run that was planned without the need has no value.
var lacks = map[need]string{
	needOrders:    "no script of the run counts orders",
	needProducers: "the run has no producers (--producers)",
	needQueue:     "the run makes no queue, so there is no audit",
	needSchedule:  "the run has no schedule (--rate)",
	needLimit:     "the run has no latency limit (-L)",
}

// LookupMetric finds a metric by its name; the error lists all names. p99.9 is
// the same as p99_9, since everyone who has not seen a result file writes it so.
func LookupMetric(name string) (*Metric, error) {
	canonical := strings.Replace(name, "p99.9", "p99_9", 1)
	for i := range Metrics {
		if Metrics[i].Name == canonical {
			return &Metrics[i], nil
		}
	}
	return nil, fmt.Errorf("unknown metric %q%s; known are %s", name, nearest.DidYouMean(canonical, metricNames()), MetricList())
}

func metricNames() []string {
	names := make([]string, len(Metrics))
	for i := range Metrics {
		names[i] = Metrics[i].Name
	}
	return names
}

// MetricList names all metrics, in the order of [Metrics], for help and errors:
// what several latencies have in common stands there once.
func MetricList() string {
	var plain, names, prefixes []string
	for i := range Metrics {
		name := Metrics[i].Name
		prefix, statistic, _ := strings.Cut(name, "_")
		switch {
		case Metrics[i].Unit != "ms" || !slices.Contains(plain, statistic):
			names = append(names, name)
		case !slices.Contains(prefixes, prefix+"_"):
			prefixes = append(prefixes, prefix+"_")
		}
		if Metrics[i].Group == OrderLatency {
			plain = append(plain, name)
		}
	}
	last := len(prefixes) - 1
	return fmt.Sprintf("%s; the latencies %s to %s also with %s or %s before them",
		strings.Join(names, ", "), plain[0], plain[len(plain)-1], strings.Join(prefixes[:last], ", "), prefixes[last])
}

// Share is the metric's value in per cent of its whole; false for one that is no
// share of anything and for a run without a value.
func (m *Metric) Share(r *Run) (Estimate, bool) {
	e, ok := m.Of(r)
	if !ok || m.Total == nil || m.Total(r) == 0 {
		return Estimate{}, false
	}
	return e.Times(100 / float64(m.Total(r))), true
}
