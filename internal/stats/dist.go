package stats

import "math"

// incompleteBeta is the regularised incomplete beta function I_x(a,b), by its
// continued fraction (DLMF 8.17.22) evaluated with Lentz's method.
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) { // the fraction converges fast below this only
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a

	const tiny = 1e-300
	guard := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/guard(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 10000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / guard(1+even*d)
		c = guard(1 + even/c)
		h *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / guard(1+odd*d)
		c = guard(1 + odd/c)
		h *= d * c
		if math.Abs(d*c-1) < 1e-14 {
			break
		}
	}
	return front * h
}

// FTail is P(F > f) of the F distribution with d1 and d2 degrees of freedom.
func FTail(f, d1, d2 float64) float64 {
	if f <= 0 {
		return 1
	}
	return incompleteBeta(d2/(d2+d1*f), d2/2, d1/2)
}

// TQuantile is the two-sided quantile of Student's t: P(|T| <= q) = level.
func TQuantile(level, df float64) float64 {
	if df <= 0 {
		return math.Inf(1)
	}
	tail := 1 - level
	lo, hi := 0.0, 1.0
	for FTail(hi*hi, 1, df) > tail {
		lo, hi = hi, hi*2
	}
	for {
		mid := (lo + hi) / 2
		if hi-lo < 1e-12*hi {
			break
		}
		if FTail(mid*mid, 1, df) > tail {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// NormalCDF is P(Z <= z) of the standard normal distribution.
func NormalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// NormalQuantile is the two-sided quantile of the normal distribution.
func NormalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// ChiSquareTail is P(X > x) with df degrees of freedom, by the cube-root
// transformation of Wilson and Hilferty (1931): right to about 0.002, which is
// far finer than what it decides here.
func ChiSquareTail(x, df float64) float64 {
	if x <= 0 {
		return 1
	}
	v := 2 / (9 * df)
	z := (math.Cbrt(x/df) - (1 - v)) / math.Sqrt(v)
	return NormalCDF(-z)
}
