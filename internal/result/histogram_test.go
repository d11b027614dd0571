package result

import (
	"encoding/json"
	"math"
	"slices"
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

func TestHistogramPercentilesAreWithinAPermille(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.SliceOfN(rapid.Int64Range(int64(time.Millisecond), int64(histHighest)), 1, 200).Draw(t, "samples")
		h := NewHistogram(FineDigits)
		for _, n := range ns {
			h.Record(time.Duration(n))
		}
		slices.Sort(ns)
		for _, p := range []float64{50, 90, 99} {
			exact := float64(ns[max(0, int(math.Ceil(p/100*float64(len(ns))))-1)])
			if got := float64(h.Percentile(p)); math.Abs(got-exact) > exact/1000+float64(time.Microsecond) {
				t.Fatalf("p%v of %v is %v, the histogram says %v", p, ns, exact, got)
			}
		}
	})
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

func BenchmarkHistogramRecord(b *testing.B) {
	h := NewHistogram(FineDigits)
	b.ReportAllocs()
	for i := range b.N {
		h.Record(time.Duration(i%1000) * time.Microsecond)
	}
}
