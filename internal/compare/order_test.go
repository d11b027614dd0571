package compare

import (
	"math"
	"testing"
)

// The coin is fair, and a toss says nothing about the one up to 32 later.
func TestOrderIsACoin(t *testing.T) {
	t.Parallel()
	const n = 20000
	for _, seed := range []uint64{0, 1, 2, math.MaxUint64} {
		o := NewOrder(seed)
		for lag := range 33 {
			sum := 0
			for i := range n {
				// Lag 0 counts B first, the others how often two tosses agree.
				if o.BFirst(i) == (lag == 0 || o.BFirst(i+lag)) {
					sum++
				}
			}
			// Five standard deviations.
			if math.Abs(float64(sum)-n/2) > 2.5*math.Sqrt(n) {
				t.Errorf("seed %d, lag %d: %d of %d", seed, lag, sum, n)
			}
		}
	}
}

func TestOrderFollowsTheSeed(t *testing.T) {
	t.Parallel()
	orders := map[string]bool{}
	for seed := range uint64(50) {
		text, again := "", ""
		a, b := NewOrder(seed), NewOrder(seed)
		b.BFirst(39) // looking ahead changes nothing
		for i := range 40 {
			text, again = text+a.Name(i), again+b.Name(i)
		}
		if text != again {
			t.Errorf("seed %d: %s, then %s", seed, text, again)
		}
		orders[text] = true
	}
	if len(orders) != 50 {
		t.Errorf("50 seeds give %d orders", len(orders))
	}
}
