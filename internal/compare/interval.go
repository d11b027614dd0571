package compare

import (
	"encoding/json"
	"math"
)

// Interval is a range of ratios; an end that the samples do not bound is 0 or
// infinite.
type Interval struct{ Lo, Hi float64 }

// Bounded tells whether both ends are known.
func (i Interval) Bounded() bool { return i.Lo > 0 && !math.IsInf(i.Hi, 0) }

// MarshalJSON writes [lo, hi], with null for an end that is not known: JSON
// has no infinity.
func (i Interval) MarshalJSON() ([]byte, error) {
	end := func(v float64) any {
		if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return v
	}
	return json.Marshal([]any{end(i.Lo), end(i.Hi)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var ends [2]*float64
	if err := json.Unmarshal(data, &ends); err != nil {
		return err
	}
	*i = Interval{0, math.Inf(1)}
	if ends[0] != nil {
		i.Lo = *ends[0]
	}
	if ends[1] != nil {
		i.Hi = *ends[1]
	}
	return nil
}
