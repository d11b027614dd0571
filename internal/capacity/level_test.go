package capacity

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLevel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Level
	}{
		{"p99<20ms", Level{{EndToEnd, "p99", 20}}},
		{" queue  p99.9 <= 1.5 s ", Level{{QueueTime, "p99.9", 1500}}},
		{"transaction max<1us,mean<2min", Level{{Transaction, "max", 0.001}, {EndToEnd, "mean", 120000}}},
		{"e2e p50<500µs", Level{{EndToEnd, "p50", 0.5}}},
	} {
		got, err := ParseLevel(c.text, EndToEnd)
		if err != nil || cmp.Diff(got, c.want) != "" {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":             "no '<'",
		"p99>20ms":     "no '<'",
		"p99<20":       "a unit",
		"p99<ms":       "a number above 0",
		"p99<-1ms":     "a number above 0",
		"p99<0ms":      "a number above 0",
		"p99<infs":     "a number above 0",
		"p98<1ms":      "unknown statistic \"p98\": one of mean, p50",
		"lag p99<1ms":  "unknown latency \"lag\"",
		"a b c<1ms":    "is not a statistic",
		"p99<1ms,":     "no '<'",
		"p99<1parsec":  "a unit",
		"p99<20ms<1ms": "is not a limit",
	} {
		if got, err := ParseLevel(text, EndToEnd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

// What a level writes is read as the same level.
func FuzzParseLevel(f *testing.F) {
	for _, s := range []string{"p99<20ms", "queue p99.9<=1.5s, e2e max < 3us", "p99<1e3ms", "mean<0x1p-2s", "p50<1_0ms", "<", "p99<\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		level, err := ParseLevel(text, QueueTime)
		if err != nil {
			return
		}
		again, err := ParseLevel(level.String(), Transaction)
		if err != nil || len(again) != len(level) {
			t.Fatalf("%q was written as %q, which gives %v, %v", text, level, again, err)
		}
		for i := range level {
			a, b := level[i], again[i]
			if a.Latency != b.Latency || a.Stat != b.Stat || math.Abs(a.LimitMS/b.LimitMS-1) > 1e-12 {
				t.Fatalf("%q: %v became %v", text, a, b)
			}
		}
	})
}
