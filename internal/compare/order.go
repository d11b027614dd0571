package compare

import "math/rand/v2"

// Order tosses a fair coin for each pair: which variant runs first. The tosses
// are independent of each other and of everything measured, so whatever happens
// to the machine meanwhile (cron jobs, checkpoints, vacuum, drift) falls on
// either variant with equal probability: that alone makes Sequential exact.
//
// Rejected: A B B A …, which cancels a linear drift, but lets a disturbance with
// the period of four runs hit one variant every time. At a depth of 26% it made
// half of all comparisons of equals end in a wrong verdict (simulated).
type Order struct {
	seed   uint64
	coin   *rand.Rand
	bFirst []bool
}

// NewOrder is the order of a seed; the same seed gives the same order.
func NewOrder(seed uint64) *Order {
	return &Order{seed: seed, coin: rand.New(rand.NewPCG(seed, 0x6162))}
}

// BFirst tells whether B runs before A in pair i, from 0.
func (o *Order) BFirst(i int) bool {
	for len(o.bFirst) <= i {
		o.bFirst = append(o.bFirst, o.coin.Uint64()>>63 == 1)
	}
	return o.bFirst[i]
}

// Name is the order of pair i as a report writes it: "A B" or "B A".
func (o *Order) Name(i int) string {
	if o.BFirst(i) {
		return "B A"
	}
	return "A B"
}
