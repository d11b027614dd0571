package script

import (
	"math"
	"math/bits"
)

// In this file float64(x*y) keeps the compiler from fusing a product into
// the addition that follows, which some processors would round differently.

// exponential returns a number from lo to hi whose density falls off so that
// the first value beyond hi would have exp(-param) of the density at lo
// (pgbench's documentation of random_exponential).
func (r *Rand) exponential(lo, hi int64, param float64) int64 {
	cut := expC(-param)
	u := 1 - r.Float64()
	x := -logC(cut+float64((1-cut)*u)) / param
	return lo + int64(float64(hi-lo+1)*x)
}

// gaussian returns a number from lo to hi, normally distributed around the
// middle and cut off at param standard deviations on either side (pgbench's
// documentation of random_gaussian). Draws beyond are thrown away.
func (r *Rand) gaussian(lo, hi int64, param float64) int64 {
	z := r.normal()
	for z < -param || z >= param {
		z = r.normal()
	}
	x := (z + param) / (param * 2)
	return lo + int64(float64(hi-lo+1)*x)
}

// zipfian returns a number from lo to hi, the k-th of them with probability
// proportional to k^-s, by rejection (Devroye, "Non-Uniform Random Variate
// Generation", 1986, p. 550).
func (r *Rand) zipfian(lo, hi int64, s float64) int64 {
	n := hi - lo + 1
	if n <= 1 {
		return lo
	}
	b := powC(2, s-1)
	for {
		u := r.Float64()
		v := r.Float64()
		x := math.Floor(powC(u, -1/(s-1)))
		t := powC(1+1/x, s-1)
		if v*x*(t-1)/(b-1) <= t/b && x <= float64(n) {
			return lo - 1 + int64(x)
		}
	}
}

// hashFNV1A is the 64-bit FNV-1a hash of the integer's eight bytes, low byte
// first, the offset basis mixed with the seed (Fowler, Noll, Vo).
func hashFNV1A(val int64, seed uint64) int64 {
	const (
		offsetBasis = 0xcbf29ce484222325
		prime       = 0x100000001b3
	)
	h := offsetBasis ^ seed
	for range 8 {
		h = (h ^ uint64(val)&0xff) * prime
		val >>= 8
	}
	return int64(h)
}

// hashMurmur2 is MurmurHash64A of the integer's eight bytes (Appleby).
func hashMurmur2(val int64, seed uint64) int64 {
	const (
		mul   = 0xc6a4a7935bd1e995
		shift = 47
		size  = 8
	)
	h := seed
	length := uint64(size)
	h ^= length * mul
	k := uint64(val) * mul
	k = (k ^ k>>shift) * mul
	h = (h ^ k) * mul
	h = (h ^ h>>shift) * mul
	return int64(h ^ h>>shift)
}

// permute returns the place of val (taken modulo size) in a pseudo-random
// permutation of 0 … size-1 chosen by the seed. Each of six rounds applies a
// bijection (odd multiplier, exclusive or, rotation) to the lower and then to
// the upper largest power of two of the range, and shifts everything by a
// random offset. size must be positive.
func permute(val, size, seed int64) int64 {
	if size < 2 {
		return 0
	}
	const rounds = 6
	r := NewRand(uint64(seed))
	n := uint64(size)
	v := uint64(val) % n
	width := bits.Len64(n) - 1
	mask := uint64(1)<<width - 1
	stir := func(x uint64) uint64 {
		// Both draws happen whether or not x lies in the part that is
		// stirred, else the rounds that follow would depend on x.
		m := r.Uint64()&mask | 1
		k := r.Uint64() & mask
		if x > mask {
			return x
		}
		x = (x*m ^ k) & mask
		return x<<1&mask | x>>(width-1)
	}
	for range rounds {
		v = stir(v)
		v = n - 1 - stir(n-1-v)
		v = addMod(v, r.uintn(n-1), n)
	}
	return int64(v)
}

// addMod is (a+b) mod n for a, b < n ≤ 2^63, where the sum cannot overflow.
func addMod(a, b, n uint64) uint64 { return (a + b) % n }
