package capacity

import (
	"math"
	"slices"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// analysis is the model that a sweep is read with: on a logarithmic scale a
// mean per client count, one drift over time that all counts share, and noise
// (an analysis of covariance, Draper and Smith 1998, chapter 14).
type analysis struct {
	groups   map[int]*cell
	drift    float64 // per second
	tt       float64 // sum of squares of the times within the groups
	centre   float64 // the time that the means are for
	variance float64 // of one measurement around the model
	df       float64
}

// cell is what was measured at one count.
type cell struct {
	n, y, t float64 // number, mean of log(orders/s), mean time
	own     float64 // mean squared relative error from within the runs
}

func (s *sweeper) analyse() *analysis { return analyse(s.done) }

func analyse(done []result.Measurement) *analysis {
	a := &analysis{groups: map[int]*cell{}}
	for i := range done {
		m := &done[i]
		g := a.groups[m.Clients]
		if g == nil {
			g = &cell{}
			a.groups[m.Clients] = g
		}
		g.n++
		g.y += math.Log(m.OrdersPerS)
		g.t += m.AtS
		g.own += sq(relativeError(&m.Sample))
		a.centre += m.AtS / float64(len(done))
	}
	for _, g := range a.groups {
		g.y, g.t, g.own = g.y/g.n, g.t/g.n, g.own/g.n
	}
	var yy, ty float64
	for i := range done {
		m := &done[i]
		g := a.groups[m.Clients]
		y, t := math.Log(m.OrdersPerS)-g.y, m.AtS-g.t
		yy, ty, a.tt = yy+y*y, ty+t*y, a.tt+t*t
	}
	a.df = float64(len(done) - len(a.groups))
	// A drift from a handful of repeats would take more from the precision
	// than it gives.
	const minDriftDF = 4
	if a.df >= minDriftDF && a.tt > 0 {
		a.drift = ty / a.tt
		yy -= a.drift * ty
		a.df--
	} else {
		a.tt = math.Inf(1)
	}
	a.variance = math.Max(0, yy/a.df)
	return a
}

// relativeError is the standard error of a sample's orders/s from within the
// run, relative; 0 if unknown.
func relativeError(s *result.Sample) float64 {
	stdErr, k := stats.BatchError(s.Rates)
	if m := stats.Mean(s.Rates); k >= 2 && m > 0 {
		return stdErr / m
	}
	return 0
}

// mean of a count on the logarithmic scale at the common time.
func (a *analysis) mean(c *cell) float64 { return c.y - a.drift*(c.t-a.centre) }

// estimate is the orders/s of a count; unbounded where nothing was repeated.
func (a *analysis) estimate(clients int) result.Estimate {
	g := a.groups[clients]
	if g == nil {
		return stats.Unbounded(math.NaN())
	}
	m := a.mean(g)
	if a.df < 1 {
		return stats.Unbounded(math.Exp(m))
	}
	// All counts share the noise between runs; one that is noisier within its
	// runs than that says so itself.
	v := math.Max(a.variance*(1/g.n+sq(g.t-a.centre)/a.tt), g.own/g.n)
	half := stats.TQuantile(stats.Confidence, a.df) * math.Sqrt(v)
	return stats.Interval(math.Exp(m), math.Exp(m-half), math.Exp(m+half))
}

// counts in ascending order.
func (a *analysis) counts() []int {
	var counts []int
	for c := range a.groups {
		counts = append(counts, c)
	}
	slices.Sort(counts)
	return counts
}

// best is the count with the highest mean.
func (a *analysis) best() int {
	best := 0
	for _, c := range a.counts() {
		if best == 0 || a.mean(a.groups[c]) > a.mean(a.groups[best]) {
			best = c
		}
	}
	return best
}

// below reports whether a count is significantly below another.
func (a *analysis) below(count, other int) bool {
	g, h := a.groups[count], a.groups[other]
	if a.df < 1 {
		return false
	}
	v := math.Max(a.variance*(1/g.n+1/h.n+sq(g.t-h.t)/a.tt), g.own/g.n+h.own/h.n)
	return a.mean(h)-a.mean(g) > stats.TQuantile(stats.Confidence, a.df)*math.Sqrt(v)
}

// driftPerHour is the relative change of throughput per hour; nil where none
// was estimated.
func (a *analysis) driftPerHour() *result.Estimate {
	if math.IsInf(a.tt, 1) || a.df < 1 {
		return nil
	}
	half := stats.TQuantile(stats.Confidence, a.df) * math.Sqrt(a.variance/a.tt)
	hour := func(perSecond float64) float64 { return math.Expm1(3600 * perSecond) }
	e := stats.Interval(hour(a.drift), hour(a.drift-half), hour(a.drift+half))
	return &e
}
