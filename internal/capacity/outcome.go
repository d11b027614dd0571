package capacity

// Outcome is how a sweep or search ended. Only Found comes with a number that
// answers the question in full.
type Outcome string

const (
	Found         Outcome = "found"
	AtLeast       Outcome = "at least"       // held at the highest rate that could be offered
	Never         Outcome = "never"          // broken at the lowest rate
	Impossible    Outcome = "impossible"     // no number of workers does it
	Unclear       Outcome = "unclear"        // the noise is larger than what was asked for
	NoConnections Outcome = "no connections" // the server's limit is in the way
	TooFast       Outcome = "too fast"       // the queue is empty before anything can be measured
	NoOrders      Outcome = "no orders"      // no count moved a single order
	Unfinished    Outcome = "unfinished"     // interrupted, or a measurement failed
)
