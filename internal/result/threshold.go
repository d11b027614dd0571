package result

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Threshold is a condition on one run, such as "p99>20ms": what --fail-if must not
// see and an SLO must see. Two are equal (==) if they mean the same.
type Threshold struct {
	Metric *Metric
	Op     string // > >= < <=
	Value  float64
	Unit   string // us, ms, s, % or ""
}

// Truth is what is known of a condition.
type Truth int

// The truths. What bounds leave open and what was not measured is Unknown.
const (
	Unknown Truth = iota
	False
	True
)

// limit is the value in the metric's own unit.
func (t Threshold) limit() float64 {
	if u, known := units[t.Unit]; known {
		return t.Value * u.size
	}
	return t.Value
}

// measure is the run's value in the metric's unit, or as a share where the
// threshold is one.
func (t Threshold) measure(r *Run) (Estimate, bool) {
	if t.Unit == "%" && t.Metric.Unit != "%" {
		return t.Metric.Share(r)
	}
	return t.Metric.Of(r)
}

// Check says whether the condition is true of the run, and what is known of the
// value in the threshold's unit: "p99 is 25.3 ms", "queue_p99 is > 4.5 s".
// Where only bounds are known the condition is true or false if it is at both.
func (t Threshold) Check(r *Run) (Truth, string) {
	e, ok := t.measure(r)
	if !ok || math.IsNaN(e.Low) || math.IsNaN(e.High) {
		text := t.Metric.Name + " was not measured"
		if t.Metric.Absent != "" {
			text += ": " + t.Metric.Absent
		}
		return Unknown, text
	}
	truth := Unknown
	if low := t.Holds(e.Low); low == t.Holds(e.High) {
		truth = False
		if low {
			truth = True
		}
	}
	return truth, t.Metric.Name + " is " + e.Text(t.number)
}

// Holds tells whether the condition is true of a value, which is in the metric's
// own unit.
func (t Threshold) Holds(v float64) bool {
	limit := t.limit()
	switch t.Op {
	case ">":
		return v > limit
	case ">=":
		return v >= limit
	case "<":
		return v < limit
	default:
		return v <= limit
	}
}

// number writes three digits, and as many more as it takes to see on which side
// of the limit the value lies.
func (t Threshold) number(v float64) string {
	unit := ""
	if t.Unit != "" {
		v /= units[t.Unit].size
		unit = " " + t.Unit
	}
	decimals := 1
	if v > 0 {
		decimals = max(1, 2-int(math.Floor(math.Log10(v))))
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	for more := decimals; more < decimals+9; more++ {
		short := strconv.FormatFloat(v, 'f', more, 64)
		if back, err := strconv.ParseFloat(short, 64); err == nil && cmp.Compare(back, t.Value) == cmp.Compare(v, t.Value) {
			text = short
			break
		}
	}
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text + unit
}

// String writes the threshold so that ParseThreshold reads it again.
func (t Threshold) String() string {
	return t.Metric.Name + t.Op + strconv.FormatFloat(t.Value, 'g', -1, 64) + t.Unit
}

// String is false, true or unknown.
func (t Truth) String() string {
	if t < Unknown || t > True {
		return fmt.Sprintf("Truth(%d)", int(t))
	}
	return [...]string{"unknown", "false", "true"}[t]
}
