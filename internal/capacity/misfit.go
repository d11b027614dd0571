package capacity

import (
	"fmt"
	"math"
	"slices"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// Thresholds of the lack-of-fit test. Significance alone would reject a useful
// curve as soon as the measurements are precise enough, and a large residual
// alone would reject a good one where they are noisy; so both are asked for.
const (
	misfitLevel    = 0.01
	misfitSize     = 0.05 // of throughput, at the worst count
	misfitSizeOnce = 0.10 // where the noise is known from within the runs only
	misfitScatter  = 0.15 // where it is not known at all
)

// misfit compares the distance of the counts' means from the curve with the
// scatter of repeats around their means (the F test for lack of fit, Draper
// and Smith, "Applied Regression Analysis", 1998, section 2.1). Without
// repeats the runs' own errors are taken, which miss what differs between
// runs; without those only a gross distance can be told.
func (o *observations) misfit(f *result.Fit, s solution) string {
	groups := o.byCount(f)
	var pure, worst float64
	for _, g := range groups {
		pure += g.scatter
		worst = math.Max(worst, math.Abs(g.residual))
	}
	n, m := float64(len(o.n)), float64(len(groups))
	free := 1.0 // a parameter on its bound has bent the curve to nothing
	for _, v := range s.theta {
		if v > 0 {
			free++
		}
	}
	between := math.Max(0, s.rss-pure)
	switch {
	case n > m && pure > 0:
		p := stats.FTail((between/(m-free))/(pure/(n-m)), m-free, n-m)
		if p >= misfitLevel || worst < misfitSize {
			return ""
		}
	case o.within != nil:
		// The weights already hold what the residuals scatter beyond the errors,
		// so they cannot show that there is too much of it.
		var squares float64
		for i, v := range o.within {
			squares += sq(o.y[i]-math.Log(f.Predict(o.n[i])/o.n[i])) / v
		}
		if stats.ChiSquareTail(squares, n-free) >= misfitLevel || worst < misfitSizeOnce {
			return ""
		}
	default:
		if math.Sqrt(s.rss/(n-free)) < misfitScatter {
			return ""
		}
	}
	return "the scalability law does not describe these points: " + describe(groups)
}

// group is the repeats of one client count.
type group struct {
	clients  float64
	y        float64 // weighted mean of log(X/N)
	residual float64 // of y from the curve
	scatter  float64 // weighted sum of squares around y
}

func (o *observations) byCount(f *result.Fit) []group {
	index := map[float64][]int{}
	for i, n := range o.n {
		index[n] = append(index[n], i)
	}
	var groups []group
	for n, members := range index {
		g := group{clients: n}
		var weights float64
		for _, i := range members {
			g.y += o.w[i] * o.y[i]
			weights += o.w[i]
		}
		g.y /= weights
		for _, i := range members {
			g.scatter += o.w[i] * sq(o.y[i]-g.y)
		}
		g.residual = g.y - math.Log(f.Predict(n)/n)
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b group) int { return int(a.clients - b.clients) })
	return groups
}

// describe names the two neighbouring counts between which the data leave the
// curve most.
func describe(groups []group) string {
	at, worst := 0, 0.0
	for i := range len(groups) - 1 {
		if d := math.Abs(groups[i+1].residual - groups[i].residual); d > worst {
			at, worst = i, d
		}
	}
	a, b := groups[at], groups[at+1]
	measured := b.y - a.y + math.Log(b.clients/a.clients)
	curve := measured - (b.residual - a.residual)
	kind := "a step that a smooth curve cannot take"
	switch {
	case measured < 0 && measured < curve && b.clients > a.clients && at == len(groups)-2:
		kind = "a cliff at the end, where something other than contention sets in"
	case measured < 0 && measured < curve:
		kind = "a drop into a second regime"
	case measured > curve:
		kind = "a rise into a second regime"
	}
	return fmt.Sprintf("from %.0f to %.0f clients throughput %s where the curve %s, %s", a.clients, b.clients, change(measured), change(curve), kind)
}

// change writes a difference of logarithms as what throughput does.
func change(log float64) string {
	percent := 100 * math.Expm1(log)
	switch {
	case percent <= -0.5:
		return fmt.Sprintf("falls by %.0f%%", -percent)
	case percent >= 0.5:
		return fmt.Sprintf("rises by %.0f%%", percent)
	default:
		return "stays"
	}
}
