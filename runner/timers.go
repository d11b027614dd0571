package runner

// timers is a heap of sleeping clients, the earliest first. container/heap
// would do, at the price of an interface call per comparison.
type timers []*client

func (h *timers) add(c *client) {
	c.heap = len(*h)
	*h = append(*h, c)
	h.up(c.heap)
}

func (h *timers) remove(i int) {
	s := *h
	last := len(s) - 1
	s[i].heap = -1
	if i != last {
		s[i] = s[last]
		s[i].heap = i
	}
	s[last] = nil
	*h = s[:last]
	if i != last {
		h.down(i)
		h.up(i)
	}
}

func (h timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].wakeAt <= h[i].wakeAt {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h timers) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if r := child + 1; r < len(h) && h[r].wakeAt < h[child].wakeAt {
			child = r
		}
		if h[i].wakeAt <= h[child].wakeAt {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h timers) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heap, h[j].heap = i, j
}
