package result

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func samples(t *rapid.T, label string) []time.Duration {
	ns := rapid.SliceOfN(rapid.Int64Range(0, int64(20*time.Minute)), 0, 200).Draw(t, label)
	out := make([]time.Duration, len(ns))
	for i, n := range ns {
		out[i] = time.Duration(n)
	}
	return out
}

func histogramOf(ds ...[]time.Duration) *Histogram {
	h := NewHistogram(FineDigits)
	for _, d := range ds {
		for _, v := range d {
			h.Record(v)
		}
	}
	return h
}

func sameHistogram(t *rapid.T, a, b *Histogram) {
	if a.Count() != b.Count() || a.Overflow() != b.Overflow() || a.Min() != b.Min() || a.Max() != b.Max() {
		t.Fatalf("count %d %d, overflow %d %d, min %v %v, max %v %v", a.Count(), b.Count(), a.Overflow(), b.Overflow(), a.Min(), b.Min(), a.Max(), b.Max())
	}
	for _, p := range []float64{0, 1, 50, 90, 99, 99.9, 100} {
		if a.Percentile(p) != b.Percentile(p) {
			t.Fatalf("p%v: %v and %v", p, a.Percentile(p), b.Percentile(p))
		}
	}
	if math.Abs(a.Mean()-b.Mean()) > 1e-9*(1+a.Mean()) {
		t.Fatalf("mean %v and %v", a.Mean(), b.Mean())
	}
}

func TestHistogramMergeLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x, y := samples(t, "x"), samples(t, "y")
		xy, yx := histogramOf(x), histogramOf(y)
		xy.Merge(histogramOf(y))
		yx.Merge(histogramOf(x))
		sameHistogram(t, xy, yx)
		sameHistogram(t, xy, histogramOf(x, y))
	})
}

// Three digits from 10 us to the end of the range, whatever the samples.
func TestHistogramPercentilesAreWithinAPermille(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Logarithms, so that each order of magnitude is met as often.
		exponents := rapid.SliceOfN(rapid.Float64Range(4, math.Log10(float64(histHighest))), 1, 200).Draw(t, "samples")
		var ns []int64
		h := NewHistogram(FineDigits)
		for _, x := range exponents {
			v := min(int64(math.Round(math.Pow(10, x))), histHighest)
			ns = append(ns, v)
			h.Record(time.Duration(v))
		}
		slices.Sort(ns)
		p := rapid.SampledFrom([]float64{0.1, 1, 25, 50, 90, 95, 99, 99.9, 99.99}).Draw(t, "p")
		exact := float64(ns[exactRank(p, int64(len(ns)))-1])
		if got := float64(h.Percentile(p)); math.Abs(got-exact) > exact/1000 {
			t.Fatalf("p%v of %v is %v, the histogram says %v", p, ns, exact, got)
		}
	})
}

// exactRank is ceil(p/100 * n) in fractions of whole numbers; p is the decimal
// number that is written.
func exactRank(p float64, n int64) int64 {
	share, ok := new(big.Rat).SetString(strconv.FormatFloat(p, 'f', -1, 64))
	if !ok {
		panic(p)
	}
	share.Mul(share, big.NewRat(n, 100))
	rank := new(big.Int).Add(share.Num(), new(big.Int).Sub(share.Denom(), big.NewInt(1)))
	return max(1, rank.Quo(rank, share.Denom()).Int64())
}

// p99.9 of 1,000 samples is the 999th.
func TestPercentilesAreNearestRanks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p       float64
		n, want int64
	}{{99.9, 1000, 999}, {99.9, 1001, 1000}, {50, 2, 1}, {50, 3, 2}, {90, 10, 9}, {95, 20, 19}, {99, 100, 99}, {99, 101, 100}, {99.9, 10, 10}, {0.1, 5, 1}} {
		if got := nearestRank(c.p, c.n); got != c.want || exactRank(c.p, c.n) != c.want {
			t.Errorf("p%v of %d samples is number %d (%d), want %d", c.p, c.n, got, exactRank(c.p, c.n), c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, 1<<45)).Draw(t, "n")
		p := float64(rapid.Int64Range(1, 999_999).Draw(t, "p")) / 1e4
		if got, want := nearestRank(p, n), exactRank(p, n); got != want {
			t.Fatalf("p%v of %d samples is number %d, want %d", p, n, got, want)
		}
	})
}

// With a sample a millisecond, each of which has a place of its own, percentiles
// are exactly those of the sorted samples.
func TestPercentilesOfManySizes(t *testing.T) {
	t.Parallel()
	h := NewHistogram(FineDigits)
	for n := int64(1); n <= 1023; n++ {
		h.Record(time.Duration(n) * time.Millisecond)
		for _, p := range []float64{1, 50, 90, 95, 99, 99.9} {
			want := time.Duration(exactRank(p, n)) * time.Millisecond
			if got := h.Percentile(p); got < want || got >= want+time.Millisecond {
				t.Fatalf("p%v of 1 to %d ms is %v, want %v", p, n, got, want)
			}
		}
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h := NewHistogram(FineDigits)
	n := 0
	if allocs := testing.AllocsPerRun(1000, func() { n++; h.Record(time.Duration(n) * 777 * time.Microsecond) }); allocs != 0 {
		t.Errorf("%v allocations a sample", allocs)
	}
}

func TestHistogramSurvivesItsFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := histogramOf(samples(t, "x"))
		data, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var back Histogram
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		sameHistogram(t, h, &back)
	})
}

func TestHistogramStdDev(t *testing.T) {
	t.Parallel()
	h := histogramOf([]time.Duration{2, 4, 4, 4, 5, 5, 7, 9})
	if got := h.StdDev() * 1e6; math.Abs(got-2) > 1e-6 {
		t.Errorf("standard deviation %v ns, want 2", got)
	}
}

func TestHistogramCountsOverflow(t *testing.T) {
	t.Parallel()
	h := histogramOf([]time.Duration{time.Second, time.Hour})
	if h.Overflow() != 1 || h.Max() != time.Hour || h.Count() != 2 {
		t.Errorf("overflow %d, max %v, count %d", h.Overflow(), h.Max(), h.Count())
	}
}

// FuzzHistogramJSON reads damaged encodings.
func FuzzHistogramJSON(f *testing.F) {
	h := histogramOf([]time.Duration{time.Millisecond, time.Second})
	data, err := json.Marshal(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add(`{"hdr":"HISTFAAAAA==","count":0}`)
	f.Add(`{"hdr":"","count":0}`)
	f.Fuzz(func(t *testing.T, data string) {
		var h Histogram
		if json.Unmarshal([]byte(data), &h) == nil {
			h.Percentile(99)
			h.Latency()
		}
	})
}

func BenchmarkNewHistogram(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		NewHistogram(FineDigits)
	}
}

func BenchmarkHistogramRecord(b *testing.B) {
	h := NewHistogram(FineDigits)
	b.ReportAllocs()
	for i := range b.N {
		h.Record(time.Duration(i%1000) * time.Microsecond)
	}
}
