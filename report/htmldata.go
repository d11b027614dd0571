package report

import (
	"fmt"
	"math"
	"strconv"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// chartData is what the page's script draws. Its short names keep the page
// small.
type chartData struct {
	Unit    string       `json:"unit"` // of throughput: orders/s or tps
	Entries []entryChart `json:"entries"`
	merged  int          // the most intervals that were made one; 1 is none
}

// entryChart is one configuration of the ranking. Over time it shows its
// median run; the spectrum is that of the samples of all its runs.
type entryChart struct {
	Name     string     `json:"name"`
	Group    string     `json:"group"` // configurations that are drawn together
	Mode     string     `json:"mode"`
	Clients  int        `json:"clients"`
	Valid    bool       `json:"valid"`
	Score    short      `json:"score"`
	Min      short      `json:"min"`
	Max      short      `json:"max"`
	P99      short      `json:"p99"`
	Time     []short    `json:"t"`  // s, end of each interval
	Rate     []short    `json:"o"`  // throughput of each interval
	TailMS   []short    `json:"q"`  // p99 of each interval
	Spectrum [][2]short `json:"sp"` // (nines of the percentile, ms)
	Heat     *heat      `json:"heat,omitempty"`
}

// heat counts latencies by time and by log-spaced bars of latency.
type heat struct {
	Starts []short   `json:"t"` // s, of each column, and the end of the last
	Edges  []short   `json:"e"` // ms, of the bars, and the end of the last
	Counts [][]int64 `json:"c"` // by column, then bar, without trailing zeros
}

// short is a number with five significant digits, which is more than a pixel
// can show.
type short float64

func (x short) MarshalJSON() ([]byte, error) {
	if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(x), 'g', 5, 64), nil
}

const (
	// maxColumns of a chart over time: a longer run is shown in longer intervals.
	maxColumns = 120
	// leastColumns still show a trend.
	leastColumns = 12
	// allColumns of all charts over time together bound the page's size.
	allColumns = 2400
)

// columnsEach is the number of columns that each of several charts may have.
func columnsEach(charts int) int {
	return max(leastColumns, min(maxColumns, allColumns/max(1, charts)))
}

func newChartData(k *ranking) chartData {
	d := chartData{Unit: "orders/s", Entries: []entryChart{}}
	if !k.byOrders {
		d.Unit = "tps"
	}
	layouts := map[string]bool{}
	for i := range k.entries {
		layouts[k.entries[i].layout] = true
	}
	for i := range k.entries {
		e := &k.entries[i]
		score := e.ordersPerS
		if !k.byOrders {
			score = e.tps
		}
		p99, _ := e.value(func(r *result.Run) (result.Estimate, bool) {
			return result.Exactly(r.Latency.P99), r.Transactions > r.Empty
		})
		c := entryChart{
			Name: e.strategy, Mode: e.mode, Clients: e.clients, Valid: e.audit.Proved(),
			Group: fmt.Sprintf("%s, %s", amount.Count(int64(e.clients), "client"), e.mode),
			Score: short(score.median), Min: short(score.min), Max: short(score.max), P99: short(p99.Value),
			Spectrum: spectrum(MergeLatencies(e.runs)),
			// The script expects arrays, be they empty.
			Time: []short{}, Rate: []short{}, TailMS: []short{},
		}
		if len(layouts) > 1 && e.layout != "" {
			c.Name += " (" + e.layout + ")"
		}
		per := c.overTime(k.medianRun(e), k.byOrders, columnsEach(len(k.entries)))
		d.merged = max(d.merged, per)
		d.Entries = append(d.Entries, c)
	}
	return d
}

// medianRun is the run whose throughput is nearest to the median.
func (k *ranking) medianRun(e *entry) *result.Run {
	best, distance := e.runs[0], math.Inf(1)
	for _, r := range e.runs {
		score := r.OrdersPerS
		if !k.byOrders {
			score = r.TPS
		}
		if d := math.Abs(score - k.score(e)); d < distance {
			best, distance = r, d
		}
	}
	return best
}

// overTime merges neighbouring intervals down to the given number of columns,
// and returns how many made one.
func (c *entryChart) overTime(r *result.Run, orders bool, columnsMost int) (per int) {
	var ticks []result.Tick
	for _, t := range r.Intervals {
		if !t.Warmup {
			ticks = append(ticks, t)
		}
	}
	per = max(1, (len(ticks)+columnsMost-1)/columnsMost)
	var columns []*result.Histogram
	var starts []short
	for len(ticks) > 0 {
		part := ticks[:min(per, len(ticks))]
		ticks = ticks[len(part):]
		h, length, done, worst := mergeTicks(part, orders)
		last := part[len(part)-1]
		c.Time = append(c.Time, short(last.AtS))
		if length > 0 {
			done /= length
		}
		c.Rate = append(c.Rate, short(done))
		if h.Count() > 0 {
			worst = float64(h.Percentile(99)) / 1e6
		}
		c.TailMS = append(c.TailMS, short(worst))
		columns = append(columns, h)
		starts = append(starts, short(part[0].AtS-part[0].LengthS))
		if len(ticks) == 0 {
			starts = append(starts, short(last.AtS))
		}
	}
	c.Heat = newHeat(starts, columns)
	return per
}

// mergeTicks sums intervals. The p99 of those that kept no histogram cannot be
// merged; the worst of them stands for it.
func mergeTicks(ticks []result.Tick, orders bool) (h *result.Histogram, length, done, worstP99 float64) {
	h = result.NewHistogram(result.CoarseDigits)
	for _, t := range ticks {
		v := t.TPS
		if orders {
			v = t.OrdersPerS
		}
		length += t.LengthS
		done += v * t.LengthS
		worstP99 = max(worstP99, t.P99MS)
		h.Merge(t.Hist)
	}
	return h, length, done, worstP99
}

func newHeat(starts []short, columns []*result.Histogram) *heat {
	all := result.NewHistogram(result.CoarseDigits)
	for _, h := range columns {
		all.Merge(h)
	}
	bins := logBins(all, 60)
	if len(bins) == 0 {
		return nil
	}
	out := &heat{Starts: starts, Counts: make([][]int64, len(columns))}
	for _, b := range bins {
		out.Edges = append(out.Edges, short(b.fromMS))
	}
	out.Edges = append(out.Edges, short(bins[len(bins)-1].toMS))
	for i, h := range columns {
		counts := countInto(bins, h)
		for len(counts) > 0 && counts[len(counts)-1] == 0 {
			counts = counts[:len(counts)-1]
		}
		out.Counts[i] = counts
	}
	return out
}

// spectrumSteps is the number of points per nine.
const spectrumSteps = 16

// spectrum is the percentile curve up to the last percentile that one sample
// stands for.
func spectrum(h *result.Histogram) [][2]short {
	if h == nil || h.Count() == 0 {
		return [][2]short{}
	}
	nines := math.Log10(float64(h.Count()))
	var out [][2]short
	for i := 0; ; i++ {
		x := min(nines, float64(i)/spectrumSteps)
		p := 100 * (1 - math.Pow(10, -x))
		out = append(out, [2]short{short(x), short(float64(h.Percentile(p)) / 1e6)})
		if x >= nines {
			return out
		}
	}
}
