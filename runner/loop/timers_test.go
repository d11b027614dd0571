package loop

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTimersFireInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h Timers
		var want, got []int64
		var all []*Timer
		for _, at := range rapid.SliceOf(rapid.Int64Range(0, 100)).Draw(t, "times") {
			m := &Timer{At: at, Fire: func() { got = append(got, at) }}
			h.Add(m)
			all = append(all, m)
		}
		now := rapid.Int64Range(0, 100).Draw(t, "now")
		left := 0
		for _, m := range all {
			switch {
			case rapid.Bool().Draw(t, "remove"):
				h.Remove(m)
				h.Remove(m) // it waits no longer
			case m.At <= now:
				want = append(want, m.At)
			default:
				left++
			}
		}
		slices.Sort(want)
		for m := h.Next(now); m != nil; m = h.Next(now) {
			m.Fire()
		}
		if !slices.Equal(got, want) || len(h) != left {
			t.Fatalf("fired at %v, %d left; want %v, %d", got, len(h), want, left)
		}
	})
}
