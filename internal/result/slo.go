package result

import (
	"fmt"
	"strings"
)

// SLO is a service-level objective: conditions that all have to be true.
type SLO []Threshold

// ParseSLO reads conditions with commas between them, such as
// "queue_p99<20ms,failed<=0"; see [ParseThreshold].
func ParseSLO(text string) (SLO, error) {
	var slo SLO
	for part := range strings.SplitSeq(text, ",") {
		t, err := ParseThreshold(part)
		if err != nil {
			return nil, err
		}
		slo = append(slo, t)
	}
	return slo, nil
}

// String writes the objective so that ParseSLO reads it again.
func (s SLO) String() string {
	parts := make([]string, len(s))
	for i, t := range s {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

// Decides is an error that says why a condition is the same for all such runs:
// the run will not have the metric, or no result could break or hold it.
func (s SLO) Decides(a *Asked) error {
	for _, t := range s {
		if err := t.Measured(a); err != nil {
			return err
		}
		if err := t.CanBreak(a); err != nil { // here: hold
			return err
		}
		if err := t.not().CanBreak(a); err != nil {
			return fmt.Errorf("no result could break %s: %w", t, err)
		}
	}
	return nil
}

// not is the opposite condition.
func (t Threshold) not() Threshold {
	t.Op = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[t.Op]
	return t
}

// Against is what is known of the run's value and the limit, in the same unit;
// false where the run has no value.
func (t Threshold) Against(r *Run) (value Estimate, limit float64, ok bool) {
	value, ok = t.measure(r)
	return value, t.limit(), ok
}

// Say words a value of the metric, in the metric's own unit, in the threshold's:
// "p99 is 25.3 ms".
func (t Threshold) Say(e Estimate) string { return t.Metric.Name + " is " + e.Text(t.number) }
