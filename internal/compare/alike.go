package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// invalid is about the runs of one set by themselves.
func invalid(s Set) []result.Problem {
	var failed, notAudited, parts int
	for _, r := range s.Runs {
		switch {
		case r.Audit.Failed():
			failed++
		case unaudited(r):
			notAudited++
		case !whole(r):
			parts++
		}
	}
	var out []result.Problem
	add := func(severity result.Severity, kind string, n int, what string) {
		if n > 0 {
			out = append(out, result.Problem{Severity: severity, Kind: kind,
				Text: fmt.Sprintf("%s: %d of %s %s", s.Name, n, amount.Count(len(s.Runs), "run"), what)})
		}
	}
	add(result.Invalid, "audit", failed, "failed the audit, so their numbers are invalid; see `qbench report` on the file")
	add(result.Incomplete, "incomplete", notAudited, "were NOT AUDITED and are left out")
	add(result.Incomplete, "incomplete", parts, "were interrupted or lost clients and are left out")
	return out
}

// differentTimes tells whether one set was measured after the other, and when.
func differentTimes(groups []group) (string, bool) {
	var span [2][2]time.Time
	for _, g := range groups {
		for i, runs := range [][]*result.Run{g.base, g.new} {
			for _, r := range runs {
				at := r.StartedAt
				if at.IsZero() {
					return "", false
				}
				if span[i][0].IsZero() || at.Before(span[i][0]) {
					span[i][0] = at
				}
				if at.After(span[i][1]) {
					span[i][1] = at
				}
			}
		}
	}
	if len(groups) == 0 || !span[0][1].Before(span[1][0]) && !span[1][1].Before(span[0][0]) {
		return "", false
	}
	text := func(s [2]time.Time) string {
		return s[0].UTC().Format("2006-01-02 15:04:05") + " to " + s[1].UTC().Format("15:04:05")
	}
	return fmt.Sprintf("the sets were measured at different times (UTC): base %s, new %s", text(span[0]), text(span[1])), true
}

// alsoDifferent names what is no part of a configuration and may move the
// numbers all the same, also within a set, each difference once.
func alsoDifferent(groups []group) []result.Problem {
	var out []result.Problem
	seen := map[result.Difference]bool{}
	for _, g := range groups {
		for _, r := range slices.Concat(g.base[1:], g.new) {
			for _, d := range result.AlsoDifferent(g.base[0], r) {
				if seen[d] {
					continue
				}
				seen[d] = true
				out = append(out, result.Problem{Severity: result.Note, Kind: "different", Text: "also different: " + d.String() + hints[d.Name]})
			}
		}
	}
	return out
}

var hints = map[string]string{
	"machine":        "; use `qbench ab`, which alternates on one machine",
	"qbench version": "; a change of the load generator looks like one of the server",
}

// conditions says what makes the samples of a configuration unlike, or the gate
// blind.
func conditions(g group, gate []*result.Metric) []result.Problem {
	var out []result.Problem
	note := func(kind, format string, args ...any) {
		out = append(out, result.Problem{Severity: result.Note, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	drained := func(r *result.Run) string {
		if r.Drained {
			return "drained"
		}
		return "not drained"
	}
	if b, n := distinct(g.base, drained), distinct(g.new, drained); b != n {
		note("drained", "%s: the queue was drained on one side only: %s against %s", g.Configuration, b, n)
	}
	latency := slices.ContainsFunc(gate, func(m *result.Metric) bool { return m.Better == result.LowerIsBetter })
	switch {
	case latency:
	case hasRate(g.base[0]):
		note("rate", "%s: --rate sets the throughput, so only a server that cannot keep up shows in it; let a latency decide (--metric p99)", g.Configuration)
	case g.base[0].Enqueue.Rate > 0:
		note("rate", "%s: --enqueue-rate sets the throughput, so only a queue that cannot keep up shows in it; let a latency decide (--metric queue_p99)", g.Configuration)
	}
	return out
}

// medians notes where the typical ratio and the ratio of the medians, which stand
// in one row, say different things: the runs of a side then fall into groups.
func medians(rows []result.ComparisonRow) []result.Problem {
	var out []result.Problem
	for _, r := range rows {
		ratio := r.NewMedian.Value / r.BaseMedian.Value
		if !r.BaseMedian.Exact() || !r.NewMedian.Exact() || !(ratio > 0) || math.IsInf(ratio, 0) {
			continue
		}
		if math.Abs(math.Log(ratio/r.Ratio.Value)) > math.Log1p(r.MaxSlowdown) && (ratio < r.Ratio.Low || ratio > r.Ratio.High || ratio > 1 != (r.Ratio.Value > 1)) {
			out = append(out, result.Problem{Severity: result.Note, Kind: "medians",
				Text: fmt.Sprintf("%s: %s: the medians have the ratio %.3g, but the typical ratio of a new run to a base run is %.3g: the runs of one side fall into groups that differ widely", r.Name(), r.Metric, ratio, r.Ratio.Value)})
		}
	}
	return out
}

func distinct(runs []*result.Run, of func(*result.Run) string) string {
	var seen []string
	for _, r := range runs {
		if v := of(r); !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
	}
	slices.Sort(seen)
	return strings.Join(seen, " and ")
}
