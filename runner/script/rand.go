package script

import (
	"math"
	"math/bits"
)

// Rand is PostgreSQL's pseudo-random generator since version 15:
// xoroshiro128** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
// Generators", 2018). It is a plain value: copying it saves the state, which
// is how a retried transaction draws the same numbers again. It is not safe
// for concurrent use.
type Rand struct{ s0, s1 uint64 }

// NewRand returns a generator whose state is spread from the seed by
// splitmix64, as the generator's authors advise. Two consecutive outputs of
// splitmix64 are never both zero, the one state xoroshiro cannot leave.
func NewRand(seed uint64) Rand {
	var r Rand
	r.s0 = splitmix64(&seed)
	r.s1 = splitmix64(&seed)
	return r
}

// splitmix64 is the generator of Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", OOPSLA 2014.
func splitmix64(state *uint64) uint64 {
	*state += 0x9E3779B97F4A7C15
	z := *state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Uint64 returns the next 64 random bits.
func (r *Rand) Uint64() uint64 {
	s0, s1 := r.s0, r.s1^r.s0
	r.s0 = bits.RotateLeft64(s0, 24) ^ s1 ^ s1<<16
	r.s1 = bits.RotateLeft64(s1, 37)
	return bits.RotateLeft64(s0*5, 7) * 9
}

// uintn returns a number from 0 to max, both included, by rejection: as many
// high bits as max has, drawn again while they exceed it. Nothing is drawn
// for max = 0.
func (r *Rand) uintn(max uint64) uint64 {
	if max == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(max)
	for {
		if v := r.Uint64() >> shift; v <= max {
			return v
		}
	}
}

// Int64Range returns a number from lo to hi, both included, each as likely
// as the other. If hi is not above lo it is lo, and nothing is drawn.
func (r *Rand) Int64Range(lo, hi int64) int64 {
	if hi <= lo {
		return lo
	}
	return lo + int64(r.uintn(uint64(hi)-uint64(lo)))
}

// Float64 returns a number from 0 up to but not including 1, a multiple of
// 2^-52.
func (r *Rand) Float64() float64 {
	return float64(r.Uint64()>>12) * 0x1p-52
}

// normal returns a normally distributed number with mean 0 and standard
// deviation 1 by the basic Box-Muller transform, of which the second number
// is thrown away as PostgreSQL does.
func (r *Rand) normal() float64 {
	u1 := 1 - r.Float64()
	u2 := 1 - r.Float64()
	return math.Sqrt(-2*logC(u1)) * sinC(2*math.Pi*u2)
}

// Poisson returns the whole number nearest to an exponentially distributed
// wait with mean center: summed up, such waits make events arrive as a
// Poisson process. pgbench's throttling draws its delays, in microseconds,
// this way (getPoissonRand).
func (r *Rand) Poisson(center float64) int64 {
	u := 1 - r.Float64()
	return int64(float64(-logC(u)*center) + 0.5)
}
