package report

import (
	"testing"
	"time"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

func TestLogBinsHoldEverySample(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, int64(15*time.Minute)), 0, 50).Draw(t, "ns")
		limit := rapid.IntRange(9, 40).Draw(t, "limit")
		h := result.NewHistogram(result.FineDigits)
		for _, s := range samples {
			h.Record(time.Duration(s))
		}
		bins := logBins(h, limit)
		var n int64
		for i, b := range bins {
			n += b.count
			if !(b.fromMS < b.toMS) || i > 0 && b.fromMS != bins[i-1].toMS {
				t.Fatalf("bar %d is [%v, %v)", i, b.fromMS, b.toMS)
			}
		}
		if n != int64(len(samples)) {
			t.Fatalf("%d of %d samples are drawn", n, len(samples))
		}
		// 10 minutes over half a nanosecond are less than 13 decades.
		if len(bins) > max(limit, 13) {
			t.Fatalf("%d bars where %d were allowed", len(bins), limit)
		}
		if len(bins) > 0 && (bins[0].count == 0 || bins[len(bins)-1].count == 0) {
			t.Fatal("an empty bar at an end")
		}
	})
}

func TestLogBinsPlaceSamples(t *testing.T) {
	t.Parallel()
	h := result.NewHistogram(result.FineDigits)
	for _, ms := range []float64{1.5, 1.7, 15, 15.1, 15.2, 150} {
		h.Record(time.Duration(ms * 1e6))
	}
	got := map[float64]int64{}
	for _, b := range logBins(h, 7) {
		got[b.fromMS] = b.count
	}
	want := map[float64]int64{1: 2, 2: 0, 5: 0, 10: 3, 20: 0, 50: 0, 100: 1}
	for from, n := range want {
		if got[from] != n {
			t.Errorf("%d samples in the bar from %v ms, want %d (all: %v)", got[from], from, n, got)
		}
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		share   float64
		unicode bool
		want    string
	}{
		{0, true, ""}, {0, false, ""}, {1, true, "████"}, {1, false, "####"}, {0.5, true, "██"}, {0.5, false, "##"},
		{1e-9, true, "▏"}, {1e-9, false, "."}, {0.59375, true, "██▍"}, {2, false, "####"},
	} {
		p := newPage(Options{Unicode: c.unicode})
		if got := p.bar(c.share, 4); got != c.want {
			t.Errorf("bar(%v, unicode %v) = %q, want %q", c.share, c.unicode, got, c.want)
		}
	}
}
