package capacity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
	"qbench/internal/stats"
)

// result reads the measurements.
func (s *sweeper) result(counts []int, err error) *result.Sweep {
	a := s.analyse()
	r := &result.Sweep{Precision: s.Precision, Measured: s.done, Rows: rows(a, s.done)}
	for _, c := range slices.Sorted(maps.Keys(s.dropped)) {
		r.Notes = append(r.Notes, s.dropped[c])
	}
	if len(r.Rows) == 0 {
		r.Outcome, r.Answer = s.nothing(err)
		return r
	}
	r.Outcome = result.CapacityFound
	r.Best = a.best()
	r.BestPerS = a.estimate(r.Best)
	r.Recommended = r.Best
	for _, row := range slices.Backward(r.Rows) {
		if row.OrdersPerS.Value >= r.BestPerS.Value*(1-s.Precision) {
			r.Recommended = row.Clients
		}
	}
	for _, row := range slices.Backward(r.Rows) {
		if row.Clients <= r.Best || !a.below(row.Clients, r.Best) {
			break
		}
		r.WorseFrom = row.Clients
	}
	for _, row := range r.Rows {
		if !a.below(row.Clients, r.Best) {
			r.Same = append(r.Same, row.Clients)
		}
	}
	if d := a.driftPerHour(); d != nil {
		r.DriftPerHour = d
	}
	var points []Observation
	for _, m := range s.done {
		// The rows' drift is taken out here too, or the curve would be fitted
		// to other data than the table shows.
		corrected := m.OrdersPerS * math.Exp(-a.drift*(m.AtS-a.centre))
		points = append(points, Observation{m.Clients, corrected, relativeError(&m.Sample) * corrected})
	}
	fit, problem := FitUSL(points)
	if r.Fit = fit; problem != nil {
		r.FitProblem = problem.Error()
	}
	s.notes(r, err == nil)
	r.Answer = answer(r)
	switch {
	case err != nil:
		r.Outcome = result.CapacityUnfinished
		r.Answer += "; " + unfinished("sweep", err)
	case s.tooFast:
		r.Outcome = result.CapacityTooFast
		r.Answer += "; some counts drain the queue faster than it can be measured, so the true best may be higher"
	}
	return r
}

// unfinished says why a part of the plan has no full answer.
func unfinished(part string, err error) string {
	if errors.Is(err, context.Canceled) {
		return "the " + part + " was interrupted"
	}
	return fmt.Sprintf("the %s was not finished: %v", part, err)
}

// nothing says why not one count was measured.
func (s *sweeper) nothing(err error) (result.CapacityOutcome, string) {
	var why []string
	for _, c := range slices.Sorted(maps.Keys(s.dropped)) {
		why = append(why, s.dropped[c])
	}
	reasons := strings.Join(why, "; ")
	switch {
	case err != nil:
		return result.CapacityUnfinished, fmt.Sprintf("nothing was measured: %v", err)
	case s.tooFast:
		return result.CapacityTooFast, "no count could be measured: " + reasons
	case s.limit > 0 || s.MaxClients > 0 && s.onlyOverLimit():
		return result.CapacityNoConnections, "no count could be measured: " + reasons + "; raise max_connections or end other sessions"
	default:
		return result.CapacityNoOrders, "no count could be measured: " + reasons
	}
}

// onlyOverLimit reports whether every count was left out for want of
// connections.
func (s *sweeper) onlyOverLimit() bool {
	for c := range s.dropped {
		if c <= s.MaxClients {
			return false
		}
	}
	return true
}

// notes say what limits the numbers; only a finished sweep has done all its
// repeats.
func (s *sweeper) notes(r *result.Sweep, finished bool) {
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	var wide []string
	saturated := 0
	for _, row := range r.Rows {
		if row.OrdersPerS.Relative() > s.Precision {
			wide = append(wide, fmt.Sprint(row.Clients))
		}
		if row.CPUShare >= result.ClientSaturated && saturated == 0 {
			saturated = row.Clients
		}
	}
	if len(wide) > 0 && finished {
		note("at %s clients the interval is still wider than %.3g%% to either side after up to %d repeats: the machine is noisy, or the measurements are too short", strings.Join(wide, ", "), 100*s.Precision, s.MaxRepeats)
	}
	if saturated > 0 {
		note("from %d clients on the load generator takes %.0f%% of its machine or more: it is measured too; run it on another machine", saturated, 100*result.ClientSaturated)
	}
	if last := r.Rows[len(r.Rows)-1].Clients; r.Best == last && len(r.Rows) > 1 {
		note("the best count is the highest that was measured: more clients may do more")
	}
	if d := r.DriftPerHour; d != nil && (d.Low > 0 || d.High < 0) && len(r.Measured) > 0 {
		hours := r.Measured[len(r.Measured)-1].AtS / 3600
		// Compounded, as the rate per hour is: over a short sweep that one can
		// be astronomic.
		if change := math.Pow(1+d.Value, hours) - 1; change > s.Precision || change < -s.Precision {
			note("throughput drifted by about %+.0f%% over the sweep, which the table is corrected for", 100*change)
		}
	}
}

// answer is the sweep in a sentence.
func answer(r *result.Sweep) string {
	text := fmt.Sprintf("%s: most orders, %s per second", amount.Count(r.Best, "client"), amount.Number(r.BestPerS.Value))
	if r.Recommended != r.Best {
		text = fmt.Sprintf("%s: within %.3g%% of the most orders, %s per second, which %d do", amount.Count(r.Recommended, "client"), 100*r.Precision, amount.Number(r.BestPerS.Value), r.Best)
	}
	if r.WorseFrom > 0 {
		for _, row := range r.Rows {
			if row.Clients == r.WorseFrom {
				text += fmt.Sprintf("; from %d clients on it gets worse (%.0f%% less)", r.WorseFrom, 100*(1-row.OrdersPerS.Value/r.BestPerS.Value))
			}
		}
	}
	return text
}

func rows(a *analysis, done []result.Measurement) []result.SweepRow {
	var out []result.SweepRow
	for _, c := range a.counts() {
		row := result.SweepRow{Clients: c, OrdersPerS: a.estimate(c)}
		var p50, p99, empty, cpu, share []float64
		for i := range done {
			m := &done[i]
			if m.Clients != c {
				continue
			}
			row.Repeats++
			row.Errors += m.Errors
			p50, p99 = append(p50, m.Latency.P50), append(p99, m.Latency.P99)
			empty = append(empty, m.EmptyShare)
			cpu, share = append(cpu, m.CPUPerOrder), append(share, m.CPUShare)
		}
		row.P50MS, row.P99MS, row.EmptyShare = stats.Median(p50), stats.Median(p99), stats.Median(empty)
		row.CPUPerOrder, row.CPUShare = stats.Median(cpu), stats.Median(share)
		out = append(out, row)
	}
	return out
}
