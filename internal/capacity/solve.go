package capacity

import "math"

// observations are what a curve is fitted to, on a logarithmic scale: the
// noise of throughput is relative, so there it is equal everywhere.
type observations struct {
	n []float64 // clients
	y []float64 // log of orders/s per client
	w []float64 // weights
	// within are the squared relative errors known from within the runs; nil
	// if they are not known of all.
	within []float64
}

// shape is the denominator of a curve, linear in two parameters:
// D(n) = a + θ0·b[0] + θ1·b[1].
type shape func(n float64) (a float64, b [2]float64)

// problem is a minimisation over θ within its bounds. A parameter whose bounds
// coincide is fixed. The factor λ is free unless logLambda says what it is.
type problem struct {
	shape     shape
	low, high [2]float64
	logLambda *float64
}

type solution struct {
	theta     [2]float64
	logLambda float64
	rss       float64 // weighted sum of squares of log(measured/curve)
}

// residuals at θ. λ enters a logarithmic residual linearly, so its best value
// for a given θ is a weighted mean: it is eliminated (variable projection,
// Golub and Pereyra 1973), which leaves two parameters to search.
func (o *observations) residuals(p *problem, theta [2]float64, r []float64, jac [][2]float64) solution {
	var sum, weights float64
	var centre [2]float64
	for i, n := range o.n {
		a, b := p.shape(n)
		d := a + theta[0]*b[0] + theta[1]*b[1]
		r[i] = o.y[i] + math.Log(d)
		jac[i] = [2]float64{b[0] / d, b[1] / d}
		sum += o.w[i] * r[i]
		weights += o.w[i]
		for j := range centre {
			centre[j] += o.w[i] * jac[i][j]
		}
	}
	s := solution{theta: theta, logLambda: sum / weights}
	free := p.logLambda == nil
	if !free {
		s.logLambda = *p.logLambda
	}
	for i := range r {
		r[i] -= s.logLambda
		s.rss += o.w[i] * r[i] * r[i]
		if free {
			for j := range centre {
				jac[i][j] -= centre[j] / weights
			}
		}
	}
	return s
}

// minimise runs Levenberg–Marquardt (Marquardt 1963, damping scaled by the
// diagonal, because κ is orders of magnitude below σ) from start. A parameter
// that lies on a bound and is pushed outwards is held there for the step.
func (o *observations) minimise(p *problem, start [2]float64) solution {
	r, jac := make([]float64, len(o.n)), make([][2]float64, len(o.n))
	clamp := func(t [2]float64) [2]float64 {
		for j := range t {
			t[j] = math.Min(math.Max(t[j], p.low[j]), p.high[j])
		}
		return t
	}
	best := o.residuals(p, clamp(start), r, jac)
	damping := 1e-3
	for range 200 {
		var g [2]float64
		var h [2][2]float64
		for i := range r {
			for j := range g {
				g[j] += o.w[i] * jac[i][j] * r[i]
				for k := range g {
					h[j][k] += o.w[i] * jac[i][j] * jac[i][k]
				}
			}
		}
		var held [2]bool
		for j := range g {
			t := best.theta[j]
			held[j] = p.low[j] == p.high[j] || t <= p.low[j] && g[j] > 0 || t >= p.high[j] && g[j] < 0 || h[j][j] == 0
		}
		if held[0] && held[1] {
			return best
		}
		improved := false
		for damping < 1e16 {
			next := o.residuals(p, clamp(step(best.theta, g, h, held, damping)), r, jac)
			if next.rss < best.rss {
				improved = best.rss-next.rss > 1e-12*best.rss
				best, damping = next, math.Max(damping/10, 1e-12)
				break
			}
			damping *= 10
		}
		if !improved {
			return best
		}
	}
	return best
}

// step solves the damped normal equations for the parameters that are not held.
func step(theta, g [2]float64, h [2][2]float64, held [2]bool, damping float64) [2]float64 {
	h[0][0] *= 1 + damping
	h[1][1] *= 1 + damping
	switch {
	case held[0]:
		theta[1] -= g[1] / h[1][1]
	case held[1]:
		theta[0] -= g[0] / h[0][0]
	default:
		det := h[0][0]*h[1][1] - h[0][1]*h[1][0]
		theta[0] -= (g[0]*h[1][1] - g[1]*h[0][1]) / det
		theta[1] -= (g[1]*h[0][0] - g[0]*h[1][0]) / det
	}
	return theta
}

// crossing walks from the estimate towards bound until the profile exceeds the
// threshold and returns where it does; the bound itself (which may be
// infinite) where it never does. The first stride is a thousandth of scale.
func crossing(profile func(float64) float64, threshold, from, bound, scale float64) float64 {
	towards := math.Copysign(1, bound-from)
	inside, stride := from, scale/1000
	for {
		x := inside + towards*stride
		if stride > scale*1e9 {
			return bound
		}
		if towards*(bound-x) <= 0 {
			if x = bound; profile(x) <= threshold {
				return bound
			}
		}
		if profile(x) > threshold {
			outside := x
			for range 25 {
				mid := (inside + outside) / 2
				if profile(mid) > threshold {
					outside = mid
				} else {
					inside = mid
				}
			}
			return outside
		}
		inside = x
		stride *= 2
	}
}
