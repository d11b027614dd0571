package capacity

import (
	"errors"
	"fmt"
	"math"

	"qbench/internal/result"
	"qbench/internal/stats"
)

// Observation is one measured throughput.
type Observation struct {
	Clients    int
	OrdersPerS float64
	StdErr     float64 // standard error of OrdersPerS from within the run; 0 if unknown
}

// uslParameters is the number of fitted parameters. One on its bound counts as
// well: the data chose the bound.
const uslParameters = 3

// simultaneous is the confidence of each of a fit's four intervals. They hold
// together: the chance that all of them cover the truth is at least
// [stats.Confidence] (Bonferroni's inequality). They are profile likelihood
// intervals (Bates and Watts, "Nonlinear Regression Analysis", 1988, section
// 6.1); the delta method's symmetric ones fail where σ or κ lies near its bound
// at 0, which is where queues often are.
const simultaneous = 1 - (1-stats.Confidence)/4

// curveInterval is an interval at that level.
func curveInterval(value, low, high float64) result.Estimate {
	return result.Estimate{Value: value, Low: low, High: high, Confidence: simultaneous}
}

// ErrTooFewPoints is wrapped by [FitUSL] where the data cannot carry the fit.
var ErrTooFewPoints = errors.New("too few points for the scalability law")

// FitUSL fits the law by weighted least squares on log(X), with σ and κ not
// below 0. It needs four client counts: three determine the curve and leave
// nothing to judge it by.
func FitUSL(measured []Observation) (*result.Fit, error) {
	counts := map[int]bool{}
	o := &observations{}
	for _, m := range measured {
		if m.Clients < 1 {
			return nil, fmt.Errorf("cannot fit %d clients: a count starts at 1", m.Clients)
		}
		if !(m.OrdersPerS > 0) || math.IsInf(m.OrdersPerS, 0) {
			return nil, fmt.Errorf("cannot fit %g orders/s at %d clients: the scalability law needs a positive throughput at every count", m.OrdersPerS, m.Clients)
		}
		counts[m.Clients] = true
		o.n = append(o.n, float64(m.Clients))
		o.y = append(o.y, math.Log(m.OrdersPerS/float64(m.Clients)))
		o.w = append(o.w, 1)
	}
	if len(counts) <= uslParameters {
		return nil, fmt.Errorf("%w: %d client counts were measured and it has 3 parameters; measure at least %d counts", ErrTooFewPoints, len(counts), uslParameters+1)
	}
	law := usl()
	start := o.linearStart()
	best := o.best(law, start)
	if o.reweigh(measured, best) {
		best = o.best(law, best.theta)
	}

	f := &result.Fit{Points: len(measured), Counts: len(counts)}
	o.intervals(f, best)
	switch knee := f.Knee.Value; {
	case !math.IsInf(knee, 1):
		f.PeakPerS = f.Predict(knee)
	case f.Sigma.Value > 0:
		f.PeakPerS = f.Lambda.Value / f.Sigma.Value
	}
	var rest, total float64
	xs := make([]float64, len(measured))
	for i, m := range measured {
		xs[i] = m.OrdersPerS
		rest += sq(m.OrdersPerS - f.Predict(o.n[i]))
	}
	if total = stats.Variance(xs) * float64(len(xs)-1); total > 0 {
		f.R2 = 1 - rest/total
	}
	f.Misfit = o.misfit(f, best)
	return f, nil
}

func sq(x float64) float64 { return x * x }

// usl is the law with θ = (σ, κ).
func usl() *problem {
	return &problem{
		shape: func(n float64) (float64, [2]float64) { return 1, [2]float64{n - 1, n * (n - 1)} },
		high:  [2]float64{math.Inf(1), math.Inf(1)},
	}
}

// linearStart solves N/X = 1/λ + (σ/λ)(N-1) + (κ/λ)N(N-1), which is linear,
// for a first σ and κ. It is biased by the noise, so it is a start only.
func (o *observations) linearStart() [2]float64 {
	// With rows scaled by X/N all residuals are relative. Gram–Schmidt on
	// three columns solves it without a matrix library.
	var cols [3][]float64
	for j := range cols {
		cols[j] = make([]float64, len(o.n))
	}
	target := make([]float64, len(o.n))
	for i, n := range o.n {
		x := math.Exp(o.y[i])
		cols[0][i], cols[1][i], cols[2][i], target[i] = x, x*(n-1), x*n*(n-1), 1
	}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	var r [3][3]float64
	for j := range cols {
		for k := range j {
			r[k][j] = dot(cols[k], cols[j]) / dot(cols[k], cols[k])
			for i := range cols[j] {
				cols[j][i] -= r[k][j] * cols[k][i]
			}
		}
	}
	var c [3]float64
	for j := 2; j >= 0; j-- {
		c[j] = dot(cols[j], target) / dot(cols[j], cols[j])
		for k := j + 1; k < 3; k++ {
			c[j] -= r[j][k] * c[k]
		}
	}
	if !(c[0] > 0) {
		return [2]float64{0.1, 1e-3}
	}
	return [2]float64{c[1] / c[0], c[2] / c[0]}
}

// best searches from several starts, since the sum of squares may have a
// second valley along σ = 0.
func (o *observations) best(p *problem, start [2]float64) solution {
	best := o.minimise(p, start)
	for _, s := range [][2]float64{{0.05, 1e-5}, {0.5, 1e-3}, {0, start[1]}, {start[0], 0}} {
		if other := o.minimise(p, s); other.rss < best.rss {
			best = other
		}
	}
	return best
}

func hasErrors(measured []Observation) bool {
	for _, m := range measured {
		if !(m.StdErr > 0) {
			return false
		}
	}
	return true
}

// reweigh turns the standard errors into weights, and reports whether it did.
// What the residuals scatter beyond them is the variance between runs, which
// all points share (the moment estimator of Paule and Mandel 1982): a run with
// a tiny error of its own must not pull the curve to itself.
func (o *observations) reweigh(measured []Observation, s solution) bool {
	if !hasErrors(measured) {
		return false
	}
	squares := make([]float64, len(measured))
	o.within = make([]float64, len(measured))
	p := usl()
	for i, m := range measured {
		a, b := p.shape(o.n[i])
		o.within[i] = sq(m.StdErr / m.OrdersPerS)
		squares[i] = sq(o.y[i] - s.logLambda + math.Log(a+s.theta[0]*b[0]+s.theta[1]*b[1]))
	}
	excess := func(between float64) float64 {
		sum := -float64(max(1, len(measured)-uslParameters))
		for i := range squares {
			sum += squares[i] / (o.within[i] + between)
		}
		return sum
	}
	between := 0.0
	if excess(0) > 0 {
		lo, hi := 0.0, 1e-12
		for excess(hi) > 0 {
			lo, hi = hi, hi*4
		}
		for range 60 {
			if mid := (lo + hi) / 2; excess(mid) > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		between = hi
	}
	for i := range o.w {
		o.w[i] = 1 / (o.within[i] + between)
	}
	return true
}

// intervals fills in the estimates. A value belongs to a parameter's interval
// if the best fit with that value is not significantly worse than the best
// fit of all.
func (o *observations) intervals(f *result.Fit, best solution) {
	df := float64(len(o.n) - uslParameters)
	var weights float64
	for _, w := range o.w {
		weights += w
	}
	// Data that lie on a curve exactly leave rounding errors only; the floor
	// keeps the comparison above them.
	floor := weights * 1e-18
	threshold := math.Max(best.rss, floor) * (1 + sq(stats.TQuantile(simultaneous, df))/df)

	warm := best.theta
	fixed := func(j int) func(float64) float64 {
		return func(v float64) float64 {
			p := usl()
			p.low[j], p.high[j] = v, v
			return o.minimise(p, warm).rss
		}
	}
	for j, e := range []*result.Estimate{&f.Sigma, &f.Kappa} {
		v := best.theta[j]
		scale := math.Max(v, []float64{1e-2, 1e-6}[j])
		*e = curveInterval(v, 0, crossing(fixed(j), threshold, v, math.Inf(1), scale))
		if v > 0 {
			e.Low = crossing(fixed(j), threshold, v, 0, scale)
		}
	}
	lambda := func(v float64) float64 {
		p := usl()
		p.logLambda = &v
		return o.minimise(p, warm).rss
	}
	f.Lambda = curveInterval(
		math.Exp(best.logLambda),
		math.Exp(crossing(lambda, threshold, best.logLambda, math.Inf(-1), 1)),
		math.Exp(crossing(lambda, threshold, best.logLambda, math.Inf(1), 1)),
	)
	f.Knee = o.kneeInterval(best, threshold)
}

// kneeInterval profiles the inverse v of the knee: with κ = (1-σ)v² the
// denominator is linear in σ again, and a curve that never turns down is
// simply v = 0.
func (o *observations) kneeInterval(best solution, threshold float64) result.Estimate {
	sigma, kappa := best.theta[0], best.theta[1]
	v := 1.0
	if kappa < 1-sigma {
		v = math.Sqrt(kappa / (1 - sigma))
	}
	profile := func(v float64) float64 {
		if v == 1 && kappa >= 1-sigma {
			return best.rss // all that fall from the first client on have their knee there
		}
		p := &problem{
			shape: func(n float64) (float64, [2]float64) {
				turn := v * v * n * (n - 1)
				return 1 + turn, [2]float64{n - 1 - turn, 0}
			},
			high: [2]float64{1, 0},
		}
		return o.minimise(p, [2]float64{sigma, 0}).rss
	}
	low, high := 0.0, 1.0
	scale := math.Max(v, 1e-4)
	if v > 0 {
		low = crossing(profile, threshold, v, 0, scale)
	}
	if v < 1 {
		high = crossing(profile, threshold, v, 1, scale)
	}
	return curveInterval(1/v, 1/high, 1/low)
}
