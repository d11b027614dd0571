package result

import (
	"errors"
	"math"
	"time"
)

// ErrConnections is wrapped where the server has no connection left for the
// clients of a point.
var ErrConnections = errors.New("the server has no connections left")

// Point is one measurement that is asked for.
type Point struct {
	Clients  int           `json:"clients"`          // workers that take orders
	Rate     float64       `json:"rate,omitempty"`   // orders offered per second; 0 drains a seeded queue as fast as it goes
	Duration time.Duration `json:"duration_ns"`      // of the measured part, without warm-up
	Orders   int64         `json:"orders,omitempty"` // to seed; 0 leaves it to the measuring function, or is none where there is a rate
	Repeat   int           `json:"repeat"`           // from 1, of this point
}

// Sample is what one point gave.
type Sample struct {
	// Run is the run that was measured, from which objectives are read.
	Run *Run `json:"-"`

	DurationS  float64 `json:"duration_s"` // until the drain, where the queue was drained
	OrdersPerS float64 `json:"orders_per_s"`
	// OfferedPerS is what the producers really put in; 0 without producers.
	OfferedPerS float64 `json:"offered_per_s,omitempty"`
	Drained     bool    `json:"drained,omitempty"`
	EmptyShare  float64 `json:"empty_share"`     // of the transactions, 0 to 1
	CPUPerOrder float64 `json:"cpu_per_order_s"` // client CPU seconds
	CPUShare    float64 `json:"cpu_share"`       // of all cores of the client's machine, 0 to 1
	Errors      int64   `json:"errors"`          // failed transactions and aborted clients

	// Latency is of the transactions that moved an order. QueueTime and EndToEnd
	// are nil where the run did not measure them.
	Latency   Latency  `json:"latency_ms"`
	QueueTime *Latency `json:"queue_time_ms,omitempty"`
	EndToEnd  *Latency `json:"end_to_end_ms,omitempty"`

	// Intervals of equal length: the batches of the confidence interval and
	// the series of the depth.
	IntervalS float64   `json:"interval_s,omitempty"`
	Rates     []float64 `json:"rates,omitempty"`  // orders/s in each
	Depths    []float64 `json:"depths,omitempty"` // orders left at the end of each; empty if unknown
}

// Measurement is a point that was measured.
type Measurement struct {
	Point
	Sample
	AtS float64 `json:"at_s"` // its start, since the first one's
}

// Sweep is throughput by client count.
type Sweep struct {
	Outcome   CapacityOutcome `json:"outcome"`
	Answer    string          `json:"answer"`
	Rows      []SweepRow      `json:"rows"` // by client count
	Precision float64         `json:"precision"`

	Best     int      `json:"best"` // the count with the highest throughput
	BestPerS Estimate `json:"best_per_s"`
	// Recommended is the smallest count within Precision of the best: fewer
	// clients hold fewer connections, locks and snapshots.
	Recommended int `json:"recommended"`
	// Same are the counts that do not differ from the best at the confidence of
	// BestPerS.
	Same []int `json:"same"`
	// WorseFrom is the smallest count above the best from which on throughput
	// is significantly lower; 0 if there is none.
	WorseFrom int `json:"worse_from,omitempty"`
	// DriftPerHour is the relative change of throughput over the sweep, which
	// the rows are corrected for; nil where it was not estimated.
	DriftPerHour *Estimate `json:"drift_per_hour,omitempty"`

	Fit        *Fit          `json:"fit,omitempty"`
	FitProblem string        `json:"fit_problem,omitempty"` // why there is no fit
	Notes      []string      `json:"notes,omitempty"`       // what the reader must know
	Measured   []Measurement `json:"measured"`              // in the order it was done
}

// SweepRow is one client count.
type SweepRow struct {
	Clients     int      `json:"clients"`
	OrdersPerS  Estimate `json:"orders_per_s"` // geometric mean of the repeats
	Repeats     int      `json:"repeats"`
	P50MS       float64  `json:"p50_ms"` // of the transactions that moved an order; medians of the repeats, as all below
	P99MS       float64  `json:"p99_ms"`
	EmptyShare  float64  `json:"empty_share"`
	CPUPerOrder float64  `json:"cpu_per_order_s"`
	CPUShare    float64  `json:"cpu_share"`
	Errors      int64    `json:"errors"` // of all repeats
}

// Fit is the Universal Scalability Law fitted to throughput by client count,
//
//	X(N) = λN / (1 + σ(N-1) + κN(N-1))
//
// (Gunther, "Guerrilla Capacity Planning", 2007, chapter 4): λ is what one
// client does alone, σ the share that is done one at a time (contention), κ
// the cost of clients having to agree with each other (coherency).
type Fit struct {
	Lambda Estimate `json:"lambda"` // orders/s
	Sigma  Estimate `json:"sigma"`
	Kappa  Estimate `json:"kappa"`
	// Knee is the client count of the highest throughput, sqrt((1-σ)/κ), not
	// below 1; infinite (in a file that was read, not a number) where the curve
	// never turns down.
	Knee Estimate `json:"knee"`
	// PeakPerS is the throughput at the knee, or the ceiling λ/σ of a curve
	// without one; 0 where there is neither.
	PeakPerS float64 `json:"peak_per_s,omitempty"`
	R2       float64 `json:"r2"` // of orders/s: 1 - residual / total sum of squares
	Points   int     `json:"points"`
	Counts   int     `json:"counts"` // different client counts among them
	// Misfit says in plain words why the law does not describe these data;
	// empty where nothing speaks against it.
	Misfit string `json:"misfit,omitempty"`
}

// Predict is the curve's throughput at n clients, in orders/s.
func (f *Fit) Predict(n float64) float64 {
	return f.Lambda.Value * n / (1 + f.Sigma.Value*(n-1) + f.Kappa.Value*n*(n-1))
}

// TurnsDown tells whether the curve has a highest throughput at a finite number
// of clients.
func (f *Fit) TurnsDown() bool { return !math.IsInf(f.Knee.Value, 0) && !math.IsNaN(f.Knee.Value) }
