package capacity

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

// fTail is P(F > f) of the F distribution with d1 and d2 degrees of freedom.
func fTail(f, d1, d2 float64) float64 {
	if f <= 0 {
		return 1
	}
	return incompleteBeta(d2/(d2+d1*f), d2/2, d1/2)
}

// tQuantile is the two-sided quantile of Student's t: P(|T| <= q) = level.
func tQuantile(level, df float64) float64 {
	if df <= 0 {
		return math.Inf(1)
	}
	tail := 1 - level
	lo, hi := 0.0, 1.0
	for fTail(hi*hi, 1, df) > tail {
		lo, hi = hi, hi*2
	}
	for {
		mid := (lo + hi) / 2
		if hi-lo < 1e-12*hi {
			break
		}
		if fTail(mid*mid, 1, df) > tail {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// normalQuantile is the two-sided quantile of the normal distribution.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// chiSquareTail is P(X > x) with df degrees of freedom, by the cube-root
// transformation of Wilson and Hilferty (1931): right to about 0.002, which is
// far finer than what it decides here.
func chiSquareTail(x, df float64) float64 {
	if x <= 0 {
		return 1
	}
	v := 2 / (9 * df)
	z := (math.Cbrt(x/df) - (1 - v)) / math.Sqrt(v)
	return math.Erfc(z/math.Sqrt2) / 2
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// variance is the sample variance, with n-1.
func variance(xs []float64) float64 {
	m := mean(xs)
	var sum float64
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(xs)-1)
}

// maxBatches is from Schmeiser, "Batch size effects in the analysis of
// simulation output" (1982): more than 30 batches narrow the interval hardly
// any more, but let the batches depend on each other.
const maxBatches = 30

// BatchMeans is the mean of a series whose neighbours may depend on each
// other, with the interval from the means of at most 30 batches. With fewer
// than two values the interval is unbounded.
func BatchMeans(series []float64) Estimate {
	if len(series) == 0 {
		return exact(math.NaN())
	}
	m := mean(series)
	stdErr, k := batchError(series)
	if k < 2 {
		return exact(m)
	}
	half := tQuantile(Confidence, float64(k-1)) * stdErr
	return Estimate{m, m - half, m + half}
}

// batchError is the standard error of the mean from k batches; k is below 2
// where there is none.
func batchError(series []float64) (stdErr float64, k int) {
	batches := series
	if n := len(series); n > maxBatches {
		// What does not fill a batch is left out at the beginning, which is
		// the least settled part.
		size := (n + maxBatches - 1) / maxBatches
		batches = nil
		for from := n % size; from+size <= n; from += size {
			batches = append(batches, mean(series[from:from+size]))
		}
	}
	if k = len(batches); k < 2 {
		return 0, k
	}
	return math.Sqrt(variance(batches) / float64(k)), k
}
