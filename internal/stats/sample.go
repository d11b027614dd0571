package stats

import (
	"math"
	"slices"
)

// Mean is the arithmetic mean.
func Mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// Variance is the sample variance, with n-1.
func Variance(xs []float64) float64 {
	m := Mean(xs)
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

// BatchError is the standard error of the mean from k batches; k is below 2
// where there is none.
func BatchError(series []float64) (stdErr float64, k int) {
	batches := series
	if n := len(series); n > maxBatches {
		// What does not fill a batch is left out at the beginning, which is
		// the least settled part.
		size := (n + maxBatches - 1) / maxBatches
		batches = nil
		for from := n % size; from+size <= n; from += size {
			batches = append(batches, Mean(series[from:from+size]))
		}
	}
	if k = len(batches); k < 2 {
		return 0, k
	}
	return math.Sqrt(Variance(batches) / float64(k)), k
}

// Median is that of the values, which keep their order; 0 for none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return MedianSorted(slices.Sorted(slices.Values(values)))
}

// MedianSorted is that of values in ascending order, of which there is at least one.
func MedianSorted(s []float64) float64 {
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}
