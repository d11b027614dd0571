package compare

import (
	"math"
	"slices"

	"qbench/internal/result"
)

// Set is one side of a comparison: the runs of one or more result files.
type Set struct {
	Name string
	Runs []*result.Run
}

// NewSet puts the runs of several files together.
func NewSet(name string, files ...*result.File) Set {
	s := Set{Name: name}
	for _, f := range files {
		s.Runs = append(s.Runs, f.Runs...)
	}
	return s
}

// logFloor stands for a throughput of nothing, which has no logarithm: far
// below anything that can be measured, so that it ranks last.
const logFloor = 1e-9

// sample is what the runs of a configuration say about a metric: one value a
// run, in the order of the runs. A value that is known by its bounds only, such as
// the queue time of orders that still waited, has two; high may be infinite.
type sample struct {
	low, high []float64
	missing   int // runs without a value
}

func sampleOf(runs []*result.Run, m *result.Metric) sample {
	var s sample
	for _, r := range runs {
		e, ok := m.Of(r)
		if !ok || !(e.Value >= 0) || math.IsInf(e.Value, 0) {
			s.missing++
			continue
		}
		// The interval of an estimate is noise within the run, and the spread of the
		// runs holds it already; certain bounds (without a confidence) are not.
		low, high := e.Value, e.Value
		if e.Confidence == 0 {
			low, high = max(0, min(e.Low, e.Value)), max(e.High, e.Value)
		}
		s.low, s.high = append(s.low, low), append(s.high, high)
	}
	return s
}

func (s sample) size() int { return len(s.low) }

func (s sample) exact() bool { return slices.Equal(s.low, s.high) }

// median has the medians of the bounds as its bounds.
func (s sample) median() result.Estimate {
	e := result.Exactly(median(s.low))
	e.High = median(s.high)
	return e
}

// logs is the sample on the log scale.
func (s sample) logs() sample {
	return sample{low: logs(s.low), high: logs(s.high)}
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(max(v, logFloor))
	}
	return out
}

// shiftOf is shift for samples of which bounds are known: the interval holds all
// the shifts that values within the bounds could have.
func shiftOf(base, new sample) (float64, interval) {
	log, ci := shift(base.high, new.low, tail)
	if base.exact() && new.exact() {
		return log, ci
	}
	most, upper := shift(base.low, new.high, tail)
	if math.IsInf(log, 0) {
		log = most
	}
	if math.IsInf(log, 0) {
		log = math.NaN()
	}
	return log, interval{ci.lo, upper.hi}
}

// lossTest gives the p-values of a loss above and below theta, at the bounds that
// speak most against each; worse is the sign of a loss in the metric's own
// direction.
func lossTest(base, new sample, worse, theta float64) (above, below float64) {
	tails := func(x, y []float64) (low, high float64) {
		moved := make([]float64, len(y))
		for i, v := range y {
			moved[i] = v - worse*theta
		}
		return rankSum(x, moved)
	}
	low, high := tails(base.high, new.low)
	if !base.exact() || !new.exact() {
		low, _ = tails(base.low, new.high)
	}
	if worse < 0 {
		return low, high
	}
	return high, low
}
