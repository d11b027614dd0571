package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Series is something watched during a soak, at equal distances.
type Series struct {
	Name   string    `json:"name"` // "orders/s", "p99", "table size"
	Unit   string    `json:"unit"`
	Values []float64 `json:"-"`
	// Limit is the value at which the level would break; nil for a series
	// without one. Floor says that it breaks below the limit, not above.
	Limit *float64 `json:"limit,omitempty"`
	Floor bool     `json:"floor,omitempty"`
}

// Drift is the trend of a series.
type Drift struct {
	Series
	PerHour Estimate `json:"per_hour"`
	Start   float64  `json:"start"` // on the fitted line
	End     float64  `json:"end"`
	Real    bool     `json:"real"` // the interval of the slope leaves out 0
	// BreaksInH is the time from the end of the soak, in hours, at which the
	// line reaches the limit; nil where it never does.
	BreaksInH *Estimate `json:"breaks_in_h,omitempty"`
	Answer    string    `json:"answer"`
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
func SoakDrift(stepS float64, series []Series) []Drift {
	out := make([]Drift, len(series))
	for i, s := range series {
		out[i] = drift(stepS, s)
	}
	return out
}

func drift(stepS float64, s Series) Drift {
	d := Drift{Series: s, PerHour: exact(math.NaN())}
	if len(s.Values) < minSoakPoints || !(stepS > 0) {
		d.Answer = fmt.Sprintf("%s: %d values are too few to tell a drift; soak for longer", s.Name, len(s.Values))
		return d
	}
	values, size := condense(s.Values, maxSoakPoints)
	perHour := 3600 / (stepS * float64(size))
	slope := theilSen(values)
	d.PerHour = Estimate{slope.Value * perHour, slope.Low * perHour, slope.High * perHour}
	d.Real = d.PerHour.Low > 0 || d.PerHour.High < 0

	rest := make([]float64, len(values))
	for i, v := range values {
		rest[i] = v - slope.Value*float64(i)
	}
	d.Start = median(rest)
	d.End = d.Start + slope.Value*float64(len(values)-1)
	if !d.Real {
		d.Answer = fmt.Sprintf("%s: no drift that can be told from noise (%+.3g to %+.3g %s per hour)", s.Name, d.PerHour.Low, d.PerHour.High, s.Unit)
		return d
	}
	d.Answer = fmt.Sprintf("%s: %+.3g %s per hour (%+.3g to %+.3g)", s.Name, d.PerHour.Value, s.Unit, d.PerHour.Low, d.PerHour.High)
	d.untilLimit()
	return d
}

// untilLimit extends the line to the limit. The steeper end of the interval
// reaches it first.
func (d *Drift) untilLimit() {
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
		d.BreaksInH = &Estimate{}
		d.Answer += fmt.Sprintf("; its limit of %.4g %s is already passed", *d.Limit, d.Unit)
	case value > 0:
		d.BreaksInH = &Estimate{room / value, room / fast, room / slow}
		d.Answer += fmt.Sprintf("; at this drift it passes %.4g %s in %.3g h (%.3g to %.3g)", *d.Limit, d.Unit, room/value, room/fast, room/slow)
	default:
		d.Answer += fmt.Sprintf("; away from its limit of %.4g %s", *d.Limit, d.Unit)
	}
}

// condense takes the medians of equal blocks, at most limit of them. What does
// not fill a block is left out at the beginning.
func condense(values []float64, limit int) (blocks []float64, size int) {
	size = (len(values) + limit - 1) / limit
	for from := len(values) % size; from+size <= len(values); from += size {
		blocks = append(blocks, median(values[from:from+size]))
	}
	return blocks, size
}

// theilSen is the median slope per step with its interval.
func theilSen(y []float64) Estimate {
	n := len(y)
	slopes := make([]float64, 0, n*(n-1)/2)
	for i := range y {
		for j := i + 1; j < n; j++ {
			slopes = append(slopes, (y[j]-y[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	value := median(slopes)

	rest := make([]float64, n)
	for i, v := range y {
		rest[i] = v - value*float64(i)
	}
	k := float64(n)
	spread := math.Sqrt(k * (k - 1) * (2*k + 5) / 18 * inflation(rest))
	c := normalQuantile(Confidence) * spread
	pairs := float64(len(slopes))
	at := func(rank float64) float64 { return slopes[int(math.Min(math.Max(rank, 0), pairs-1))] }
	return Estimate{value, at(math.Floor((pairs - c) / 2)), at(math.Ceil((pairs + c) / 2))}
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

// median of at least one value; the argument keeps its order.
func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}
