package result

import (
	"encoding/json"
	"math"
)

// Bounds are upper bounds of a Latency's values in milliseconds; one that is not
// known is +Inf, and null in a file.
type Bounds Latency

type boundsJSON struct {
	Mean *float64 `json:"mean"`
	Min  *float64 `json:"min"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	P999 *float64 `json:"p99_9"`
	Max  *float64 `json:"max"`
}

// MarshalJSON writes null for what is not bounded.
func (b Bounds) MarshalJSON() ([]byte, error) {
	end := func(v float64) *float64 {
		if math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	return json.Marshal(boundsJSON{end(b.Mean), end(b.Min), end(b.P50), end(b.P90), end(b.P95), end(b.P99), end(b.P999), end(b.Max)})
}

// UnmarshalJSON reads what MarshalJSON wrote; what is missing is not bounded.
func (b *Bounds) UnmarshalJSON(data []byte) error {
	var in boundsJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	end := func(v *float64) float64 {
		if v == nil {
			return math.Inf(1)
		}
		return *v
	}
	*b = Bounds{
		Mean: end(in.Mean), StdDev: math.Inf(1), Min: end(in.Min), P50: end(in.P50),
		P90: end(in.P90), P95: end(in.P95), P99: end(in.P99), P999: end(in.P999), Max: end(in.Max),
	}
	return nil
}

// Text words what is known of the number: "4.55" where it is exact, "> 4.55"
// without an upper end, "4.55 to 5.2" between two. Format words one number.
// A confidence interval is not meant, whose value has a text of its own.
func (e Estimate) Text(format func(float64) string) string {
	switch {
	case math.IsInf(e.High, 1):
		return "> " + format(e.Low)
	case e.High > e.Low && format(e.High) != format(e.Low):
		return format(e.Low) + " to " + format(e.High)
	}
	return format(e.Value)
}
