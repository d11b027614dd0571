package result

// Capacity is what capacity planning found about one strategy.
type Capacity struct {
	Name   string  `json:"name"`
	Layout string  `json:"layout,omitempty"`
	Sweep  *Sweep  `json:"sweep,omitempty"`
	Search *Search `json:"search,omitempty"`
	Target *Target `json:"target,omitempty"`
	Soak   []Drift `json:"soak,omitempty"`
	// Unlogged tables are emptied by a crash.
	Unlogged bool `json:"unlogged,omitempty"`
	// Invalid says why the numbers do not count, such as a failed audit; ""
	// where they do.
	Invalid string `json:"invalid,omitempty"`
}

// CapacityOutcome is how a sweep or search ended. Only CapacityFound comes with
// a number that answers the question in full.
type CapacityOutcome string

const (
	CapacityFound         CapacityOutcome = "found"
	CapacityAtLeast       CapacityOutcome = "at least"       // held at the highest rate that could be offered
	CapacityNever         CapacityOutcome = "never"          // broken at the lowest rate
	CapacityImpossible    CapacityOutcome = "impossible"     // no number of workers does it
	CapacityUnclear       CapacityOutcome = "unclear"        // the noise is larger than what was asked for
	CapacityNoConnections CapacityOutcome = "no connections" // the server's limit is in the way
	CapacityTooFast       CapacityOutcome = "too fast"       // the queue is empty before anything can be measured
	CapacityNoOrders      CapacityOutcome = "no orders"      // no count moved a single order
	CapacityUnfinished    CapacityOutcome = "unfinished"     // interrupted, or a measurement failed
)

// CapacityRanking is the order of several strategies, the best first.
type CapacityRanking struct {
	Contenders  []Contender `json:"contenders"`
	TargetRate  float64     `json:"target_rate,omitempty"`
	Recommended string      `json:"recommended,omitempty"` // "" where none can be
	Answer      string      `json:"answer"`                // which and why, in a sentence
}

// Contender is one line of a ranking.
type Contender struct {
	Name        string   `json:"name"`
	Layout      string   `json:"layout,omitempty"`
	Rate        Estimate `json:"rate"`    // orders/s: at the objective where there is one, the most otherwise
	Workers     int      `json:"workers"` // for that rate, or for the target
	P99MS       float64  `json:"p99_ms"`  // of the transactions there
	CPUPerOrder float64  `json:"cpu_per_order_s"`
	Unlogged    bool     `json:"unlogged,omitempty"`
	// Excluded says why it cannot be recommended.
	Excluded string `json:"excluded,omitempty"`
}

// SetCapacities stores what was found: the only strategy's in Capacity, those of
// several in Capacities.
func (f *File) SetCapacities(found []*Capacity, ranking *CapacityRanking) {
	f.Capacity, f.Capacities, f.CapacityRanking = nil, nil, ranking
	if len(found) == 1 {
		f.Capacity = found[0]
	} else {
		f.Capacities = found
	}
}

// AllCapacities is what was found, in the order of the strategies; nil without
// capacity planning.
func (f *File) AllCapacities() []*Capacity {
	if f.Capacity != nil {
		return append([]*Capacity{f.Capacity}, f.Capacities...)
	}
	return f.Capacities
}
