package loop

// Timer waits in Timers for a moment. The zero value waits in none.
type Timer struct {
	At   int64  // the moment, on any clock; not to be changed while it waits
	Fire func() // what its owner does then
	slot int    // place in the heap, from 1; 0 is none
}

// Timers is a heap of timers that wait, the earliest first. container/heap would
// do, at the price of an interface call per comparison. The zero value is empty.
type Timers []*Timer

// Add lets t, which waits in none, wait until t.At.
func (h *Timers) Add(t *Timer) {
	*h = append(*h, t)
	t.slot = len(*h)
	h.up(t.slot - 1)
}

// Remove takes t out, if it waits.
func (h *Timers) Remove(t *Timer) {
	if t.slot == 0 {
		return
	}
	s, i := *h, t.slot-1
	last := len(s) - 1
	t.slot = 0
	if i != last {
		s[i] = s[last]
		s[i].slot = i + 1
	}
	s[last] = nil
	*h = s[:last]
	if i != last {
		h.down(i)
		h.up(i)
	}
}

// Next takes out the earliest timer whose moment is now or has passed; nil where
// there is none.
func (h *Timers) Next(now int64) *Timer {
	if len(*h) == 0 || (*h)[0].At > now {
		return nil
	}
	t := (*h)[0]
	h.Remove(t)
	return t
}

func (h Timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].At <= h[i].At {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h Timers) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if r := child + 1; r < len(h) && h[r].At < h[child].At {
			child = r
		}
		if h[i].At <= h[child].At {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h Timers) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].slot, h[j].slot = i+1, j+1
}
