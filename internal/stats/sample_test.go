package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBatchErrorCovers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(51, 1))
	for _, n := range []int{5, 30, 31, 600} {
		held := 0
		const trials = 400
		for range trials {
			series := make([]float64, n)
			for i := range series {
				series[i] = 100 + 10*rng.NormFloat64()
			}
			stdErr, k := BatchError(series)
			if math.Abs(Mean(series)-100) <= TQuantile(Confidence, float64(k-1))*stdErr {
				held++
			}
		}
		if held < trials*92/100 {
			t.Errorf("%d values: %d of %d", n, held, trials)
		}
	}
	if _, k := BatchError([]float64{7}); k >= 2 {
		t.Errorf("one value has %d batches", k)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1, 3}, 3}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("%v: %g, want %g", tt.values, got, tt.want)
		}
	}
}
