package capacity

import (
	"context"
	"errors"
	"time"
)

// Point is one measurement that is asked for.
type Point struct {
	Clients  int           `json:"clients"`          // workers that take orders
	Rate     float64       `json:"rate,omitempty"`   // orders offered per second; 0 drains a seeded queue as fast as it goes
	Duration time.Duration `json:"duration_ns"`      // of the measured part, without warm-up
	Orders   int64         `json:"orders,omitempty"` // to seed; 0 leaves it to the measuring function, or is none where there is a rate
	Repeat   int           `json:"repeat"`           // from 1, of this point
}

// Measure runs one point. An error that wraps [ErrConnections] says that the
// server gave fewer connections than the point needs; any other error ends the
// sweep or search that asked.
type Measure func(ctx context.Context, p Point) (Sample, error)

// Clock tells the time; it is passed in so that tests have their own.
type Clock func() time.Time

// ErrConnections is wrapped by a measuring function where the server has no
// connection left for the point's clients.
var ErrConnections = errors.New("the server has no connections left")

// Percentiles summarise latencies in milliseconds.
type Percentiles struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

// Sample is what one point gave.
type Sample struct {
	DurationS  float64 `json:"duration_s"` // until the drain, where the queue was drained
	OrdersPerS float64 `json:"orders_per_s"`
	// OfferedPerS is what the producers really put in; 0 without producers.
	OfferedPerS float64 `json:"offered_per_s,omitempty"`
	Drained     bool    `json:"drained,omitempty"`
	EmptyShare  float64 `json:"empty_share"`     // of the transactions, 0 to 1
	CPUPerOrder float64 `json:"cpu_per_order_s"` // client CPU seconds
	CPUShare    float64 `json:"cpu_share"`       // of all cores of the client's machine, 0 to 1
	Errors      int64   `json:"errors"`          // failed transactions and aborted clients

	Transaction Percentiles  `json:"transaction_ms"`
	QueueTime   *Percentiles `json:"queue_time_ms,omitempty"` // from visible to taken
	EndToEnd    *Percentiles `json:"end_to_end_ms,omitempty"` // from enqueued to done

	// Intervals of equal length: the batches of the confidence interval and
	// the series of the depth.
	IntervalS float64   `json:"interval_s,omitempty"`
	Rates     []float64 `json:"rates,omitempty"`  // orders/s in each
	Depths    []float64 `json:"depths,omitempty"` // orders left at the end of each; empty if unknown
}
