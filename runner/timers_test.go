package runner

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTimersFireInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h timers
		var want []int64
		var all []*client
		for _, at := range rapid.SliceOf(rapid.Int64Range(0, 100)).Draw(t, "times") {
			c := &client{wakeAt: at}
			h.add(c)
			all = append(all, c)
		}
		for _, c := range all {
			if rapid.Bool().Draw(t, "remove") {
				h.remove(c.heap)
			} else {
				want = append(want, c.wakeAt)
			}
		}
		slices.Sort(want)
		var got []int64
		for len(h) > 0 {
			got = append(got, h[0].wakeAt)
			h.remove(0)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("fired at %v, want %v", got, want)
		}
	})
}
