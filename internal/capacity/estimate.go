package capacity

import (
	"encoding/json"
	"math"
)

// Confidence is the level of every interval of this package.
const Confidence = 0.95

// Estimate is a value with its confidence interval. An end that is not bounded
// by the data is infinite; JSON has no infinity, so it is null there.
type Estimate struct {
	Value float64
	Low   float64
	High  float64
}

// exact is a value without an interval that can be stated.
func exact(v float64) Estimate {
	return Estimate{Value: v, Low: math.Inf(-1), High: math.Inf(1)}
}

// Bounded reports whether both ends of the interval are known.
func (e Estimate) Bounded() bool {
	return !math.IsInf(e.Low, 0) && !math.IsInf(e.High, 0) && !math.IsNaN(e.Low+e.High)
}

// Holds reports whether v lies in the interval.
func (e Estimate) Holds(v float64) bool { return e.Low <= v && v <= e.High }

// Relative is the larger half of the interval relative to the value; +Inf
// where there is none.
func (e Estimate) Relative() float64 {
	if !e.Bounded() || e.Value == 0 {
		return math.Inf(1)
	}
	return math.Max(e.High-e.Value, e.Value-e.Low) / math.Abs(e.Value)
}

type estimateJSON struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// MarshalJSON writes infinite and undefined numbers as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	finite := func(v float64) *float64 {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	return json.Marshal(estimateJSON{finite(e.Value), finite(e.Low), finite(e.High)})
}

// UnmarshalJSON reads null as -Inf for the low end and +Inf elsewhere.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var j estimateJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*e = Estimate{math.Inf(1), math.Inf(-1), math.Inf(1)}
	for _, f := range []struct {
		into *float64
		from *float64
	}{{&e.Value, j.Value}, {&e.Low, j.Low}, {&e.High, j.High}} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	return nil
}
