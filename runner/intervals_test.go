package runner

import (
	"math"
	"runtime"
	"testing"
	"time"

	"qbench/internal/result"

	"pgregory.net/rapid"
)

func tickOf(at, length float64, latencies ...time.Duration) result.Tick {
	h := result.NewHistogram(result.CoarseDigits)
	for _, d := range latencies {
		h.Record(d)
	}
	n := float64(len(latencies))
	return result.Tick{AtS: at, LengthS: length, TPS: n / length, OrdersPerS: 2 * n / length, Empty: 1, LagMS: 3, Depth: int64(at), Hist: h}
}

// TestIntervalsKeepTheSums merges random runs: what was counted stays, in a
// bounded number of entries that cover the run without a gap.
func TestIntervalsKeepTheSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5*maxIntervals).Draw(t, "ticks")
		warm := rapid.IntRange(0, n).Draw(t, "warm-up")
		every := rapid.IntRange(1, 50).Draw(t, "transaction every")
		var s intervals
		want := 0
		for i := range n {
			var some []time.Duration
			if i%every == 0 {
				some = []time.Duration{time.Duration(i) * time.Microsecond}
				want++
			}
			tick := tickOf(float64(i+1), 1, some...)
			tick.Warmup = i < warm
			s.add(tick)
		}
		if len(s.list) > maxIntervals {
			t.Fatalf("%d entries", len(s.list))
		}
		at, transactions, empty := 0.0, 0.0, int64(0)
		for _, x := range s.list {
			if math.Abs(at+x.LengthS-x.AtS) > 1e-6 {
				t.Fatalf("an entry of %v s ends at %v, the one before at %v", x.LengthS, x.AtS, at)
			}
			if x.Warmup != (x.AtS <= float64(warm)) {
				t.Fatalf("the entry that ends at %v: warm-up is %v, which ends at %d", x.AtS, x.Warmup, warm)
			}
			at = x.AtS
			transactions += x.TPS * x.LengthS
			empty += x.Empty
		}
		if math.Abs(transactions-float64(want)) > 1e-6 || empty != int64(n) || at != float64(n) {
			t.Fatalf("%v transactions, %d empty up to %v s; want %d, %d, %d", transactions, empty, at, want, n, n)
		}
	})
}

// TestLongRunsStaySmall holds the memory of half a day's intervals to a bound
// that a week's stay below as well: their number has the same limit.
func TestLongRunsStaySmall(t *testing.T) {
	seconds, most := 12*3600, uint64(40<<20)
	if testing.Short() { // under the race detector
		seconds /= 10
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var s intervals
	shared := tickOf(1, 1, time.Millisecond) // only what is kept is copied
	for i := range seconds {
		tick := shared
		tick.AtS = float64(i + 1)
		if len(s.list) == 0 || s.open >= s.width {
			tick = tickOf(float64(i+1), 1, time.Millisecond)
		}
		s.add(tick)
	}
	if after := heap(); after > before+most {
		t.Errorf("%d intervals take %d MiB", len(s.list), (after-before)>>20)
	}
	runtime.KeepAlive(&s)
}

// TestWarmupSkipsAreNotCounted: a start that was skipped belongs to the moment
// it was scheduled for.
func TestWarmupSkipsAreNotCounted(t *testing.T) {
	t.Parallel()
	l := fakeLoop(t, Prepared, 1, 1)
	c := l.clients[0]
	c.prog = l.run.programs[0][0]
	l.run.measureFrom = int64(time.Second)
	c.begin = int64(3 * time.Second) // of the transaction before
	for _, at := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		c.scheduled = int64(at)
		l.account(c, true)
	}
	if n := c.group.stats.Skipped; n != 1 {
		t.Errorf("%d skipped starts counted, want the one after the warm-up", n)
	}
}
