package result

import (
	"encoding/json"
	"math"
)

// Estimate is a number with its confidence interval. An end that the samples do
// not bound is infinite; a number that is known exactly has both ends equal to it.
type Estimate struct {
	Value, Low, High float64
	// Confidence is the probability with which such intervals hold the true
	// value, such as 0.95; 0 for bounds that are certain.
	Confidence float64
}

// Exactly is a number without uncertainty.
func Exactly(v float64) Estimate { return Estimate{Value: v, Low: v, High: v} }

// AtLeast is a number of which only a lower bound is known.
func AtLeast(v float64) Estimate { return Estimate{Value: v, Low: v, High: math.Inf(1)} }

// Exact tells whether there is no uncertainty.
func (e Estimate) Exact() bool { return e.Low == e.Value && e.High == e.Value }

// Bounded tells whether both ends are known.
func (e Estimate) Bounded() bool { return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) }

// Holds tells whether v lies in the interval.
func (e Estimate) Holds(v float64) bool { return e.Low <= v && v <= e.High }

// Relative is the larger half of the interval relative to the value; +Inf where
// there is none.
func (e Estimate) Relative() float64 {
	if !e.Bounded() || e.Value == 0 {
		return math.Inf(1)
	}
	return math.Max(e.High-e.Value, e.Value-e.Low) / math.Abs(e.Value)
}

// Times is the estimate in another unit: of the number times a positive factor.
func (e Estimate) Times(factor float64) Estimate {
	e.Value, e.Low, e.High = e.Value*factor, e.Low*factor, e.High*factor
	return e
}

type estimateJSON struct {
	Value      *float64 `json:"value"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Confidence float64  `json:"confidence,omitempty"`
}

// MarshalJSON writes null for what is infinite or not a number, which JSON lacks.
func (e Estimate) MarshalJSON() ([]byte, error) {
	end := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(estimateJSON{end(e.Value), end(e.Low), end(e.High), e.Confidence})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var in estimateJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	end := func(v *float64, unknown float64) float64 {
		if v == nil {
			return unknown
		}
		return *v
	}
	*e = Estimate{end(in.Value, math.NaN()), end(in.Low, math.Inf(-1)), end(in.High, math.Inf(1)), in.Confidence}
	return nil
}
