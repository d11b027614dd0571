package compare

import (
	"math"
	"math/rand/v2"

	"qbench/internal/result"
)

// host is what the runs of a comparison are made on: the log of its speed in
// run after run. Each call of it is a host of its own.
type host func(*rand.Rand) func() float64

// under is a host of independent noise under disturbances.
func under(of noise, disturbances ...host) host {
	return func(rng *rand.Rand) func() float64 {
		var all []func() float64
		for _, d := range disturbances {
			all = append(all, d(rng))
		}
		return func() float64 {
			x := of(rng)
			for _, d := range all {
				x += d()
			}
			return x
		}
	}
}

// sequence is a host whose speed follows from the number of the run alone.
func sequence(of func(run int) float64) host {
	return func(*rand.Rand) func() float64 {
		run := -1
		return func() float64 {
			run++
			return of(run)
		}
	}
}

// drifting changes by step in each run.
func drifting(step float64) host {
	return sequence(func(run int) float64 { return step * float64(run) })
}

// steps changes by size after every so many runs.
func steps(every int, size float64) host {
	return sequence(func(run int) float64 { return size * float64(run/every) })
}

// periodic slows the first few of every period runs down by depth (a log).
func periodic(period, few, phase int, depth float64) host {
	return sequence(func(run int) float64 {
		if (run+phase)%period < few {
			return -depth
		}
		return 0
	})
}

// wave goes up and down by depth within a period.
func wave(period, phase int, depth float64) host {
	return sequence(func(run int) float64 {
		return depth * math.Sin(2*math.Pi*(float64(run+phase)+0.25)/float64(period))
	})
}

// correlated is AR(1) noise: each run remembers rho of the one before.
func correlated(rho, sd float64) host {
	return func(rng *rand.Rand) func() float64 {
		x := sd * rng.NormFloat64()
		return func() float64 {
			x = rho*x + math.Sqrt(1-rho*rho)*sd*rng.NormFloat64()
			return x
		}
	}
}

// cauchy has neither variance nor mean.
func cauchy(scale float64) noise {
	return func(r *rand.Rand) float64 {
		// Kept within what a float's exponential can hold.
		return max(-300, min(300, scale*r.NormFloat64()/r.NormFloat64()))
	}
}

// bimodal is a host with two speeds, such as two sockets.
func bimodal(sd, distance float64) noise {
	return func(r *rand.Rand) float64 { return sd*r.NormFloat64() + distance*float64(r.IntN(2)) }
}

// pairs makes the values of one pair after the other, in a tossed order; b is
// ratio times as fast as a.
func pairs(rng *rand.Rand, m host, ratio float64) func() (a, b result.Estimate) {
	order, i, speed := NewOrder(rng.Uint64()), 0, m(rng)
	return func() (a, b result.Estimate) {
		x, y := speed(), speed()
		if order.BFirst(i) {
			x, y = y, x
		}
		i++
		return result.Exactly(5000 * math.Exp(x)), result.Exactly(5000 * ratio * math.Exp(y))
	}
}
