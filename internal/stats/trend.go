package stats

import (
	"fmt"
	"math"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// Trend is what the depth of a queue does over a run.
type Trend string

const (
	Stable    Trend = "stable"    // bounded: not growing by more than the tolerance
	Growing   Trend = "growing"   // more comes in than is taken out
	Shrinking Trend = "shrinking" // a backlog is worked off
	Undecided Trend = "undecided" // too short or too noisy to tell
)

// Depth is the verdict on the depth of a queue.
type Depth struct {
	Trend Trend `json:"trend"`
	// Slope is in orders per second.
	Slope     result.Estimate `json:"slope_per_s"`
	Tolerance float64         `json:"tolerance_per_s"`
	Reason    string          `json:"reason"`
}

// confidence labels the interval of a trend.
var confidence = amount.Number(100*Confidence) + "% confidence"

// minDepths is how many depths a trend needs: with fewer the correction of the
// autocorrelation is larger than what it corrects.
const minDepths = 8

// DepthTolerance is the growth that still counts as stable, as a share of the
// rate: workers that fall behind by less keep up within what a rate can be
// measured to.
const DepthTolerance = 0.005

// DepthTrend decides whether a queue grows, from its depth at the ends of
// intervals of intervalS seconds and the orders/s put into it (0 if unknown).
//
// Depths depend on each other: a full queue is still full a second later, and
// one at its limit is a random walk, for which the interval of ordinary least
// squares is far too narrow and a Newey–West one still is. So the trend is
// estimated by feasible generalised least squares, with an error that may be
// stationary or integrated (Perron and Yabu, "Estimating deterministic trends
// with an integrated or stationary noise component", 2009): the autocorrelation
// of the detrended depths, corrected for its bias of -(2+4ρ)/T (Tanaka 1984),
// is taken as 1 where it comes near it. How near is theirs in order, T^(-1/2),
// but twice as far: at the few dozen depths of a run their cut lets one random
// walk in five pass for stationary (TestTrendSlopeCovers).
func DepthTrend(depths []float64, intervalS, rate float64) Depth {
	d := Depth{Trend: Undecided, Slope: Unbounded(math.NaN()), Tolerance: DepthTolerance * rate}
	if len(depths) < minDepths || !(intervalS > 0) {
		d.Reason = fmt.Sprintf("%d depths are too few to tell a trend; %d are needed: measure for longer or in shorter intervals", len(depths), minDepths)
		return d
	}
	slope := trendSlope(depths)
	d.Slope = slope.Times(1 / intervalS)
	switch s := d.Slope; {
	case s.Low > 0 && s.Value > math.Max(d.Tolerance, VisibleGrowth(depths, intervalS)):
		d.Trend = Growing
		d.Reason = fmt.Sprintf("the queue grows by %s orders/s (%s to %s, %s)", amount.Number(s.Value), amount.Number(s.Low), amount.Number(s.High), confidence)
	case s.High < 0 && s.Value < -d.Tolerance:
		d.Trend = Shrinking
		d.Reason = fmt.Sprintf("the queue shrinks by %s orders/s: a backlog is worked off", amount.Number(-s.Value))
	case s.High <= math.Max(d.Tolerance, BoundedGrowth(depths, intervalS, rate)):
		d.Trend = Stable
		d.Reason = fmt.Sprintf("the depth stays bounded (%s to %s orders/s, %s)", amount.Number(s.Low), amount.Number(s.High), confidence)
	default:
		d.Reason = fmt.Sprintf("the depth changes by %s to %s orders/s (%s), which allows growth: measure for longer", amount.Number(s.Low), amount.Number(s.High), confidence)
	}
	return d
}

// BoundedGrowth is a slope too small to matter: from empty, it would not
// in the whole run gather the orders of a tenth of a second.
func BoundedGrowth(depths []float64, intervalS, rate float64) float64 {
	const share = 0.1
	return math.Max(share*rate/(float64(len(depths))*intervalS), VisibleGrowth(depths, intervalS))
}

// VisibleGrowth is the slope that a depth counted in whole orders can show:
// one order more and one order less under way at the ends of the run are no
// trend, however short the run and low the rate.
func VisibleGrowth(depths []float64, intervalS float64) float64 {
	return 2 / (float64(len(depths)) * intervalS)
}

// trendSlope is the slope per step of a series with AR(1) errors.
func trendSlope(series []float64) result.Estimate {
	n := float64(len(series))
	intercept, slope := line(series)
	rest := make([]float64, len(series))
	var cross, square float64
	for i, y := range series {
		rest[i] = y - intercept - slope*float64(i)
		if i > 0 {
			cross += rest[i] * rest[i-1]
			square += rest[i-1] * rest[i-1]
		}
	}
	if square == 0 {
		return result.Exactly(slope)
	}
	rho := cross / square
	rho = math.Max(rho+(2+4*rho)/n, -0.95)
	if 1-rho <= 2/math.Sqrt(n) {
		rho = 1
	}
	// With the differences y - ρ·y₋₁ the errors are independent. The first
	// value enters scaled to the same variance (Prais and Winsten 1954); for a
	// random walk that scale is 0 and the slope is the mean step.
	first := math.Sqrt(math.Max(0, 1-rho*rho))
	var saa, sab, sbb, say, sby float64
	add := func(a, b, y float64) {
		saa, sab, sbb, say, sby = saa+a*a, sab+a*b, sbb+b*b, say+a*y, sby+b*y
	}
	each := func(use func(a, b, y float64)) {
		use(first, 0, first*series[0])
		for i := 1; i < len(series); i++ {
			t := float64(i)
			use(1-rho, t-rho*(t-1), series[i]-rho*series[i-1])
		}
	}
	each(add)
	df, level, inverse := n-2, 0.0, 1/sbb
	if rho == 1 {
		slope = sby / sbb
	} else {
		det := saa*sbb - sab*sab
		level, slope = (sbb*say-sab*sby)/det, (saa*sby-sab*say)/det
		inverse = saa / det
	}
	var rss float64
	each(func(a, b, y float64) { rss += sq(y - level*a - slope*b) })
	half := TQuantile(Confidence, df) * math.Sqrt(rss/df*inverse)
	return Interval(slope, slope-half, slope+half)
}

// line is the ordinary least squares line through a series over 0, 1, 2, …
func line(series []float64) (intercept, slope float64) {
	n := float64(len(series))
	centre, m := (n-1)/2, Mean(series)
	var sxy float64
	for i, y := range series {
		sxy += (float64(i) - centre) * (y - m)
	}
	slope = sxy / (n * (n*n - 1) / 12)
	return m - slope*centre, slope
}
