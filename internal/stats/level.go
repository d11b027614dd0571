package stats

import (
	"math"
	"math/rand/v2"
)

// Level is what the level of a series did, by the means of windows that follow
// each other.
type Level struct {
	Low, High float64 // the lowest and the highest mean of a window
	// Window is the number of values in a window.
	Window int
	// P is the probability of windows that differ as much or more if the order of
	// the values means nothing.
	P float64
}

const (
	// minLevels is how many values a series needs: 4 windows of 3. The 15,400 ways
	// of forming them leave room for a P of 0.001.
	minLevels, minWindow, maxWindows = 12, 3, 8
	// permutations bound the smallest P. Of a series that is stationary a few
	// dozen suffice: once enough differ as much, no small P can follow (Besag and
	// Clifford, "Sequential Monte Carlo p-values", 1991).
	permutations, enough = 4999, 25
)

// Levels compares the windows of a series by a permutation test: the statistic is
// the sum of squares between windows, and the values in every other order are
// what it is compared with (Good, "Permutation, Parametric and Bootstrap Tests of
// Hypotheses", 2005). It assumes no distribution, so that shot noise, heavy
// tails, two modes and single outliers keep its level; what it finds is values
// that are alike because they are neighbours. False for a series that is too
// short. The same series has the same answer.
func Levels(series []float64) (Level, bool) {
	n := len(series)
	if n < minLevels {
		return Level{}, false
	}
	windows := min(maxWindows, n/minWindow)
	l := Level{Low: math.Inf(1), High: math.Inf(-1), Window: n / windows, P: 1}
	mean := Mean(series)
	between := func(values []float64, each func(mean float64)) float64 {
		var sum float64
		for w := range windows {
			part := values[w*n/windows : (w+1)*n/windows]
			m := Mean(part)
			sum += float64(len(part)) * (m - mean) * (m - mean)
			each(m)
		}
		return sum
	}
	observed := between(series, func(m float64) { l.Low, l.High = min(l.Low, m), max(l.High, m) })
	if observed == 0 {
		return l, true
	}
	rng := rand.New(rand.NewPCG(1, 2))
	shuffled := append([]float64(nil), series...)
	as, tried := 0, 0
	for ; tried < permutations && as < enough; tried++ {
		rng.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		// Sums in another order differ in their last digits.
		if between(shuffled, func(float64) {}) >= observed*(1-1e-9) {
			as++
		}
	}
	if as == enough {
		l.P = float64(as) / float64(tried)
	} else {
		l.P = float64(as+1) / float64(tried+1)
	}
	return l, true
}
