package result

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// contradiction is what two fields of a run, or a field and its meaning, say
// against each other; nil is none. Only what no run of qbench can have written is
// one: a file that was damaged or edited must not become a baseline.
func (r *Run) contradiction() error {
	if err := contradicts(reflect.ValueOf(r).Elem(), ""); err != nil {
		return err
	}
	if err := rateOf("tps", r.TPS, r.DurationS, "transactions", r.Transactions); err != nil {
		return err
	}
	if err := rateOf("orders_per_s", r.OrdersPerS, r.DurationS, "orders", r.Orders); err != nil {
		return err
	}
	all := r.Clients
	if r.Producers != nil {
		all += r.Producers.Clients
	}
	switch {
	case r.Clients < 1 && r.Transactions > 0:
		return fmt.Errorf("clients is %d, but transactions is %d", r.Clients, r.Transactions)
	// Orders of an aborted client count, its transaction does not.
	case r.Orders > 0 && r.Transactions+r.Failed() == 0 && r.AbortedClients == 0 && !r.Interrupted:
		return fmt.Errorf("orders is %d, but transactions is 0", r.Orders)
	case r.Orders > 0 && !r.CountsOrders:
		return fmt.Errorf("orders is %d, but counts_orders is false", r.Orders)
	case r.AbortedClients > all:
		return fmt.Errorf("aborted_clients is %d, but there were %d clients", r.AbortedClients, all)
	}
	if a := r.Audit; a != nil && a.OK && a.Lost+a.Duplicated+a.Both+a.Foreign > 0 {
		return fmt.Errorf("audit.ok is true, but %d orders are lost, %d duplicated, %d in both tables and %d foreign", a.Lost, a.Duplicated, a.Both, a.Foreign)
	}
	if s := r.Steady; s != nil && (s.TimedWaiting > s.TimedOrders || s.TimedUnfinished > s.TimedOrders) {
		return fmt.Errorf("timed_orders is %d, fewer than timed_waiting (%d) or timed_unfinished (%d)", s.TimedOrders, s.TimedWaiting, s.TimedUnfinished)
	}
	return nil
}

// contradiction is where the verdict of a comparison is not the worst of the rows
// that decide; nil where it is.
func (c *Comparison) contradiction() error {
	worst := NotComparable
	for _, row := range c.Rows {
		if row.Decides && row.Verdict.WorseThan(worst) {
			worst = row.Verdict
		}
	}
	if c.Verdict != worst && c.Verdict != NotComparable {
		return fmt.Errorf("verdict is %q, but that of its %d rows is %q", c.Verdict, len(c.Rows), worst)
	}
	return nil
}

// rateOf compares a rate with what it is of, up to what rounding to four digits
// changes.
func rateOf(name string, rate, seconds float64, of string, n int64) error {
	if seconds == 0 && rate == 0 {
		return nil
	}
	if got := rate * seconds; math.Abs(got-float64(n)) > 1+float64(n)/1000 {
		return fmt.Errorf("%s * duration_s is %.6g, but %s is %d", name, got, of, n)
	}
	return nil
}

// contradicts looks into all parts of a record: numbers are not negative (JSON has
// no others that are none), percentiles ascend, and statistics add up.
func contradicts(v reflect.Value, path string) error {
	switch part := v.Interface().(type) {
	case time.Time, Bounds:
		return nil
	case Estimate:
		if part.Low > part.High {
			return fmt.Errorf("%s: low (%g) is above high (%g)", path, part.Low, part.High)
		}
		return nil
	case Latency:
		if err := part.contradiction(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	case Stats:
		if err := part.contradiction(); err != nil {
			if path == "" {
				return err
			}
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*Histogram]() || v.Type() == reflect.TypeFor[*Environment]() {
			return nil
		}
		return contradicts(v.Elem(), path)
	case reflect.Slice:
		for i := range v.Len() {
			if err := contradicts(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			at := path
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				at = strings.TrimPrefix(path+"."+name, ".")
			}
			if err := contradicts(v.Field(i), at); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		// The depth of an interval in which it could not be told is -1.
		unknown := v.Int() == -1 && strings.HasPrefix(path, "intervals[") && strings.HasSuffix(path, ".depth")
		if v.Int() < 0 && !unknown {
			return fmt.Errorf("%s is %d, which is negative", path, v.Int())
		}
	case reflect.Float64:
		if x := v.Float(); x < 0 {
			return fmt.Errorf("%s is %g, which is negative", path, x)
		}
	}
	return nil
}

func (l *Latency) contradiction() error {
	last, value := "min", l.Min
	for _, p := range []struct {
		name  string
		value float64
	}{{"p50", l.P50}, {"p90", l.P90}, {"p95", l.P95}, {"p99", l.P99}, {"p99_9", l.P999}, {"max", l.Max}} {
		if p.value == 0 {
			continue // not measured
		}
		if p.value < value {
			return fmt.Errorf("%s (%g) is below %s (%g)", p.name, p.value, last, value)
		}
		last, value = p.name, p.value
	}
	const rounding = 1e-9
	if l.Max > 0 && l.Mean > l.Max*(1+rounding) {
		return fmt.Errorf("mean (%g) is above max (%g)", l.Mean, l.Max)
	}
	return nil
}

func (s *Stats) contradiction() error {
	switch found := s.Transactions - s.Empty; {
	case s.Empty > s.Transactions:
		return fmt.Errorf("empty is %d, but transactions is %d", s.Empty, s.Transactions)
	case s.Late > s.Transactions:
		return fmt.Errorf("late is %d, but transactions is %d", s.Late, s.Transactions)
	case s.Retried > s.Transactions+s.Failed():
		return fmt.Errorf("retried is %d, but transactions is %d and failed is %d", s.Retried, s.Transactions, s.Failed())
	case s.Retried > s.Retries:
		return fmt.Errorf("retried is %d, but retries is %d", s.Retried, s.Retries)
	case s.LatencyHist != nil && s.LatencyHist.Count() != found:
		return fmt.Errorf("latency_hist holds %d samples, but transactions - empty is %d", s.LatencyHist.Count(), found)
	case s.EmptyHist != nil && s.EmptyHist.Count() != s.Empty:
		return fmt.Errorf("empty_hist holds %d samples, but empty is %d", s.EmptyHist.Count(), s.Empty)
	}
	return nil
}
