package script

import "math"

// The functions of this file give what the C library's exp, log, pow and sin
// give, whose results decide which numbers the random distributions draw.
// Go's own are up to several units in the last place off (in three of four
// cases for pow), glibc's hardly more than the half that rounding costs. So
// these compute with twice the precision and round once; they differ from
// glibc's in the last bit of about one result in a thousand, where glibc's
// own error tips the balance. Taking over its tables would remove that too,
// and tie the results to one library.

// double2 is an unevaluated sum of two doubles, hi being the sum rounded:
// 106 bits (Dekker, "A floating-point technique for extending the available
// precision", 1971).
type double2 struct{ hi, lo float64 }

var (
	ln2    = double2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
	halfPi = double2{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
)

// inverseFactorials are 1/n!, the coefficients of Taylor's series.
var inverseFactorials = func() (c [28]double2) {
	c[0] = double2{hi: 1}
	for n := 1; n < len(c); n++ {
		c[n] = c[n-1].div(float64(n))
	}
	return c
}()

// add2 is the exact sum of two doubles (Knuth's TwoSum).
func add2(a, b float64) double2 {
	s := a + b
	t := s - a
	return double2{s, (a - (s - t)) + (b - t)}
}

// mul2 is the exact product of two doubles.
func mul2(a, b float64) double2 {
	p := a * b
	return double2{p, math.FMA(a, b, -p)}
}

func (x double2) add(y double2) double2 {
	s := add2(x.hi, y.hi)
	return add2(s.hi, s.lo+(x.lo+y.lo))
}

func (x double2) neg() double2 { return double2{-x.hi, -x.lo} }

func (x double2) mul(y double2) double2 {
	p := mul2(x.hi, y.hi)
	return add2(p.hi, p.lo+(x.hi*y.lo+x.lo*y.hi))
}

// div divides by a double.
func (x double2) div(y float64) double2 {
	q := x.hi / y
	p := mul2(q, y)
	rest := x.add(p.neg())
	return add2(q, rest.hi/y)
}

// scale multiplies by a power of two, exactly.
func (x double2) scale(factor float64) double2 {
	return double2{x.hi * factor, x.lo * factor}
}

// exp2parts returns e^x as m·2^k, for |x| < 1100. x is brought below 2^-10
// by taking out multiples of ln 2 and halving nine times; Taylor's series is
// then squared up again.
func exp2parts(x double2) (m double2, k int) {
	n := math.RoundToEven(x.hi / ln2.hi)
	r := x.add(double2{hi: n}.mul(ln2).neg())
	const halvings = 9
	r = r.scale(1.0 / (1 << halvings))
	const terms = 9
	// s = e^r - 1: adding the 1 before squaring would cost nine bits.
	s := inverseFactorials[terms]
	for i := terms - 1; i >= 1; i-- {
		s = s.mul(r).add(inverseFactorials[i])
	}
	s = s.mul(r)
	for range halvings {
		s = s.scale(2).add(s.mul(s)) // (1+s)² - 1
	}
	return s.add(double2{hi: 1}), int(n)
}

func expC(x float64) float64 { return exp2(double2{hi: x}) }

func exp2(x double2) float64 {
	switch {
	case !(math.Abs(x.hi) < 1000): // beyond the range, or not finite
		return math.Exp(x.hi)
	case x.hi == 0:
		return 1
	}
	m, k := exp2parts(x)
	return math.Ldexp(m.hi, k)
}

func logC(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return log2parts(x).hi
}

// log2parts returns ln x for a positive, finite x.
func log2parts(x float64) double2 {
	if math.Abs(x-1) < 0x1p-6 {
		return logNearOne(x)
	}
	// One step of Newton's method from a logarithm y as Go gives it: with
	// e = x·e^-y - 1, no larger than y's error, ln x = y + ln(1+e). Go's own
	// is asked about the fraction only; it is wrong below the normal range
	// on amd64.
	frac, exp := math.Frexp(x)
	y := math.Log(frac) + float64(exp)*math.Ln2
	m, k := exp2parts(double2{hi: -y})
	e := m.mul(double2{hi: frac}).scale(math.Ldexp(1, k+exp)).add(double2{hi: -1})
	return add2(y, e.hi-e.hi*e.hi/2).add(double2{hi: e.lo})
}

// logNearOne is the series ln x = 2(s + s³/3 + s⁵/5 + …) with
// s = (x-1)/(x+1), for |x-1| < 2^-6: there the result is so small that the
// absolute accuracy of Newton's step would not do.
func logNearOne(x float64) double2 {
	f := x - 1 // exact
	// s = f/(2+f); the denominator may need more than one double.
	d := add2(2, f)
	s := double2{hi: f}.div(d.hi)
	s = s.add(s.mul(double2{hi: -d.lo / d.hi}))
	square := s.mul(s)
	const last = 15
	sum := double2{hi: 1}.div(last)
	for i := last - 2; i >= 1; i -= 2 {
		sum = sum.mul(square).add(double2{hi: 1}.div(float64(i)))
	}
	return sum.mul(s).scale(2)
}

func powC(x, y float64) float64 {
	special := !(math.Abs(x) > 0) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) ||
		x < 0 && y != math.Trunc(y)
	if special || x == 1 || y == 0 || y == 1 {
		return math.Pow(x, y)
	}
	l := log2parts(math.Abs(x))
	p := exp2(l.mul(double2{hi: y}))
	if x < 0 && math.Mod(y, 2) != 0 {
		return -p
	}
	return p
}

// sinC returns the sine of a number from 0 to 2π.
func sinC(x float64) float64 {
	quadrant := math.RoundToEven(x / halfPi.hi)
	r := double2{hi: x}.add(double2{hi: quadrant}.mul(halfPi).neg())
	// Taylor's series of sin r, or of cos r in odd quadrants, |r| ≤ π/4.
	odd := int(quadrant)&1 == 1
	square := r.mul(r).neg()
	last := 27
	if odd {
		last = 26
	}
	sum := inverseFactorials[last]
	for i := last - 2; i >= 0; i -= 2 {
		sum = sum.mul(square).add(inverseFactorials[i])
	}
	if !odd {
		sum = sum.mul(r)
	}
	if int(quadrant)&2 != 0 {
		return -sum.hi
	}
	return sum.hi
}
