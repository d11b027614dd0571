package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// Series is something watched during a soak, at equal distances.
type Series struct {
	Name, Unit string
	Values     []float64
	// Limit is the value at which the objective would break; nil without one.
	// Floor says that it breaks below the limit, not above.
	Limit *float64
	Floor bool
}

// confidence labels the intervals of a drift.
var confidence = amount.Number(100*stats.Confidence) + "% confidence"

// signed writes a change.
func signed(x float64) string {
	if x > 0 {
		return "+" + amount.Number(x)
	}
	return amount.Number(x)
}

// maxSoakPoints bounds the pairs of Theil's estimator, which grow with the
// square.
const maxSoakPoints = 200

// minSoakPoints is the fewest values whose median slope has an interval at
// [Confidence]: of six values in order by chance, 2/6! lie so.
const minSoakPoints = 6

// SoakDrift is the drift of each series, whose values are stepS seconds
// apart.
//
// The slope is the median of the slopes of all pairs (Theil 1950), which a
// checkpoint or two cannot tilt, with Sen's interval by ranks (1968). Its
// variance is multiplied by (1+ρ)/(1-ρ) for values that depend on their
// neighbours (Yue and Wang 2004, for the autocorrelation ρ of the detrended
// series' ranks).
func SoakDrift(stepS float64, series []Series) []result.Drift {
	out := make([]result.Drift, len(series))
	for i, s := range series {
		out[i] = drift(stepS, s)
	}
	return out
}

func drift(stepS float64, s Series) result.Drift {
	d := result.Drift{Name: s.Name, Unit: s.Unit, Limit: s.Limit, Floor: s.Floor, PerHour: stats.Unbounded(math.NaN())}
	if len(s.Values) < minSoakPoints || !(stepS > 0) {
		d.Answer = fmt.Sprintf("%s: %d values are too few to tell a drift; soak for longer", s.Name, len(s.Values))
		return d
	}
	values, size := condense(s.Values, maxSoakPoints)
	perHour := 3600 / (stepS * float64(size))
	slope := theilSen(values)
	d.PerHour = slope.Times(perHour)
	d.Real = d.PerHour.Low > 0 || d.PerHour.High < 0

	rest := make([]float64, len(values))
	for i, v := range values {
		rest[i] = v - slope.Value*float64(i)
	}
	d.Start = stats.Median(rest)
	d.End = d.Start + slope.Value*float64(len(values)-1)
	if !d.Real {
		d.Answer = fmt.Sprintf("%s: no drift beyond the noise (%s to %s %s per hour, %s)", s.Name, signed(d.PerHour.Low), signed(d.PerHour.High), s.Unit, confidence)
		return d
	}
	d.Answer = fmt.Sprintf("%s: %s %s per hour (%s to %s, %s)", s.Name, signed(d.PerHour.Value), s.Unit, signed(d.PerHour.Low), signed(d.PerHour.High), confidence)
	untilLimit(&d)
	return d
}

// untilLimit extends the line to the limit. The steeper end of the interval
// reaches it first.
func untilLimit(d *result.Drift) {
	if d.Limit == nil {
		return
	}
	room, slow, fast := *d.Limit-d.End, d.PerHour.Low, d.PerHour.High
	value := d.PerHour.Value
	if d.Floor {
		room, slow, fast, value = -room, -d.PerHour.High, -d.PerHour.Low, -value
	}
	switch {
	case room <= 0:
		d.BreaksInH = &result.Estimate{}
		d.Answer += fmt.Sprintf("; its limit of %g %s is already passed", *d.Limit, d.Unit)
	case value > 0:
		breaks := stats.Interval(room/value, room/fast, room/slow)
		d.BreaksInH = &breaks
		d.Answer += fmt.Sprintf("; at this drift it passes %g %s in %s h (%s to %s)", *d.Limit, d.Unit, amount.Number(room/value), amount.Number(room/fast), amount.Number(room/slow))
	default:
		d.Answer += fmt.Sprintf("; away from its limit of %g %s", *d.Limit, d.Unit)
	}
}

// condense takes the medians of equal blocks, at most limit of them. What does
// not fill a block is left out at the beginning.
func condense(values []float64, limit int) (blocks []float64, size int) {
	size = (len(values) + limit - 1) / limit
	for from := len(values) % size; from+size <= len(values); from += size {
		blocks = append(blocks, stats.Median(values[from:from+size]))
	}
	return blocks, size
}

// theilSen is the median slope per step with its interval.
func theilSen(y []float64) result.Estimate {
	n := len(y)
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range y {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (y[j]-y[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	value := stats.Median(slopes)

	rest := make([]float64, n)
	for i, v := range y {
		rest[i] = v - value*float64(i)
	}
	k := float64(n)
	spread := math.Sqrt(k * (k - 1) * (2*k + 5) / 18 * inflation(rest))
	c := stats.NormalQuantile(stats.Confidence) * spread
	pairs := float64(len(slopes))
	at := func(rank float64) float64 { return slopes[int(math.Min(math.Max(rank, 0), pairs-1))] }
	return stats.Interval(value, at(math.Floor((pairs-c)/2)), at(math.Ceil((pairs+c)/2)))
}

// inflation is by how much the dependence of neighbours widens a variance. It
// is seen in the ranks (Hamed and Rao 1998): a few dips in the values would
// hide it.
func inflation(rest []float64) float64 {
	order := make([]int, len(rest))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rest[a], rest[b]) })
	n := float64(len(rest))
	rank := make([]float64, len(rest)) // around 0
	for r, i := range order {
		rank[i] = float64(r) - (n-1)/2
	}
	var cross, square float64
	for i, v := range rank {
		square += v * v
		if i > 0 {
			cross += v * rank[i-1]
		}
	}
	rho := cross / square
	rho = math.Min(rho+(1+4*rho)/n, 1-2/n)
	return math.Max(1, (1+rho)/(1-rho))
}

// SoakLimits are the p99 in milliseconds and the depth in orders at which an
// objective would break at a rate in orders/s; nil where it limits none.
func SoakLimits(slo result.SLO, rate float64) (p99, depth *float64) {
	for _, t := range slo {
		_, limit, _ := t.Against(&result.Run{})
		if t.Op != "<" && t.Op != "<=" {
			continue
		}
		switch t.Metric.Group {
		case result.OrderLatency:
			if t.Metric.Name == "p99" {
				p99 = &limit
			}
		case result.QueueTimes, result.EndToEnd:
			// Little's law: what comes to a queue of this depth waits for the limit.
			if orders := rate * limit / 1000; depth == nil || orders < *depth {
				depth = &orders
			}
		}
	}
	return p99, depth
}
