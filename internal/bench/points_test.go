package bench

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"qbench/internal/result"
)

// The warm-up's end falls into an interval as a rule, and the run's end too.
func TestSampleLeavesWarmUpOut(t *testing.T) {
	t.Parallel()
	tick := func(at, length, rate float64, depth int64, warm bool) result.Tick {
		return result.Tick{AtS: at, LengthS: length, OrdersPerS: rate, Depth: depth, Warmup: warm}
	}
	r := &result.Run{
		DurationS: 0.85, OrdersPerS: 100, Drained: true,
		Stats:        result.Stats{Transactions: 80, Empty: 20, Orders: 60, Failures: result.Failures{Deadlock: 2}},
		WarmupOrders: 40, AbortedClients: 1, Client: result.ClientUse{CPUSeconds: 0.5, CPUShare: 0.25},
		Producers: &result.Producers{OrdersPerS: 98},
		Steady:    &result.Steady{QueueTime: &result.Latency{P99: 7}},
		Intervals: []result.Tick{
			tick(0.2, 0.2, 1, 1, true), tick(0.4, 0.2, 2, 2, false), // the warm-up ends at 0.25
			tick(0.6, 0.2, 3, 3, false), tick(0.8, 0.2, 4, -1, false), tick(1.0, 0.2, 5, 5, false), tick(1.1, 0.1, 6, 6, false),
		},
	}
	s := sampleOf(r, 250*time.Millisecond)
	if want := []float64{3, 4, 5}; !slices.Equal(s.Rates, want) {
		t.Errorf("rates %v, want %v", s.Rates, want)
	}
	if want := []float64{3, 5}; !slices.Equal(s.Depths, want) {
		t.Errorf("depths %v, want %v", s.Depths, want)
	}
	if s.IntervalS != 0.2 || s.EmptyShare != 0.25 || s.CPUPerOrder != 0.5/60 || s.Errors != 3 || s.OfferedPerS != 98 {
		t.Errorf("interval %g, empty %g, CPU %g, errors %d, offered %g", s.IntervalS, s.EmptyShare, s.CPUPerOrder, s.Errors, s.OfferedPerS)
	}
	if s.QueueTime == nil || s.QueueTime.P99 != 7 || s.EndToEnd != nil {
		t.Errorf("queue time %v, end to end %v", s.QueueTime, s.EndToEnd)
	}
}

// An interval that ends with the warm-up, but for the ticker's jitter, is the
// last that is left out.
func TestSettledToleratesJitter(t *testing.T) {
	t.Parallel()
	ticks := []result.Tick{
		{AtS: 0.1003, LengthS: 0.1003}, {AtS: 0.1998, LengthS: 0.0995, OrdersPerS: 1}, {AtS: 0.3001, LengthS: 0.1003, OrdersPerS: 2},
	}
	got := settled(ticks, 100*time.Millisecond)
	if len(got) != 2 || got[0].OrdersPerS != 1 {
		t.Errorf("%d intervals are left, want the last two", len(got))
	}
}

func TestOrdersForLastsThePoint(t *testing.T) {
	t.Parallel()
	const warmup = time.Second
	point := result.Point{Clients: 8, Duration: 4 * time.Second}
	for _, tt := range []struct {
		name  string
		rates map[int]float64
		asked int64
		most  int64
		want  int64
	}{
		{"nothing known", nil, 0, 1e9, firstRate * 5 * 3 / 2},
		{"its own rate", map[int]float64{8: 1000, 1: 9000}, 0, 1e9, 7500},
		{"half as many clients may do half as much", map[int]float64{4: 1000}, 0, 1e9, 15000},
		{"more clients' rate as it is", map[int]float64{16: 1000}, 0, 1e9, 7500},
		{"asked for without the warm-up", map[int]float64{8: 1000}, 6000, 1e9, 7500},
		{"no more than may be", map[int]float64{8: 1000}, 6000, 500, 500},
		{"enough to tell anything", map[int]float64{8: 1}, 0, 1e9, leastSeed},
	} {
		m := &Points{rates: tt.rates, Most: tt.most}
		p := point
		p.Orders = tt.asked
		if got := m.ordersFor(p, warmup); got != tt.want {
			t.Errorf("%s: %d orders, want %d", tt.name, got, tt.want)
		}
	}
}

// What is reported as offered is either the schedule or the count, and the
// count wherever the two cannot be the same.
func TestOffered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rate := rapid.Float64Range(1, 1e5).Draw(rt, "rate")
		seconds := rapid.Float64Range(0.1, 100).Draw(rt, "seconds")
		batch := float64(rapid.IntRange(1, 100).Draw(rt, "batch"))
		deviations := rapid.Float64Range(-6, 6).Draw(rt, "standard deviations")
		// n = rate·seconds/batch starts scatter by √n, the orders by batch·√n.
		starts := rate * seconds / batch
		counted := (starts + deviations*math.Sqrt(starts)) * batch / seconds
		want := counted
		if math.Abs(deviations) < 2.999 {
			want = rate
		} else if math.Abs(deviations) < 3.001 {
			return
		}
		if got := offered(counted, rate, batch, seconds); got != want {
			rt.Fatalf("offered %g, want %g", got, want)
		}
	})
	if got := offered(0, 100, 1, 0); got != 0 {
		t.Errorf("a run without any duration offered %g", got)
	}
}

func TestConnectionLimitIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code string
		want bool
	}{{"53300", true}, {"28P01", false}} {
		err := connectionLimit(fmt.Errorf("connect: %w", &pgconn.PgError{Code: tt.code, Message: "no"}))
		if got := errors.Is(err, result.ErrConnections); got != tt.want {
			t.Errorf("SQLSTATE %s counts as the connection limit: %t", tt.code, got)
		}
	}
}

// Only where no more partitions than clients were touched are clients tied to
// partitions; one that goes round has just not come far yet.
func TestUnserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		untouched, clients int
		left               int64
		unserved, dry      bool
	}{{248, 8, 0, true, true}, {248, 8, 3, true, false}, {240, 8, 5, false, false}, {0, 8, 0, false, true}, {0, 8, 1, false, false}} {
		r := &result.Run{Configuration: result.Configuration{Clients: tt.clients}, Partition: &result.PartitionUse{Partitions: 256, Untouched: tt.untouched, Min: tt.left}}
		if got := unserved(r); got != tt.unserved {
			t.Errorf("%d clients, %d of 256 untouched: unserved is %t", tt.clients, tt.untouched, got)
		}
		if got := ranDry(r); got != tt.dry {
			t.Errorf("%d left in the emptiest: ran dry is %t", tt.left, got)
		}
	}
	if r := (&result.Run{Configuration: result.Configuration{Clients: 8}}); unserved(r) || ranDry(r) {
		t.Error("a queue without partitions has some that are not served")
	}
}
