package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// compareHeadline is the verdict of a comparison as one sentence.
func compareHeadline(r *result.Comparison) string {
	decide, slower := 0, 0
	for _, row := range r.Rows {
		if row.Decides {
			decide++
			if row.Verdict == result.Slower {
				slower++
			}
		}
	}
	state := "passed"
	switch {
	case r.Failed():
		state = "FAILED"
	case r.Interrupted:
		state = "interrupted"
	}
	switch r.Verdict {
	case result.NotComparable:
		return state + ": not comparable"
	case result.Slower:
		return fmt.Sprintf("%s: slower in %d of %s", state, slower, amount.Count(int64(decide), "comparison"))
	case result.Inconclusive:
		if r.NotSlower {
			state += fmt.Sprintf(": not slower by more than %s %%", trimmed(100*r.MaxSlowdown))
		}
	}
	return fmt.Sprintf("%s: %s (%s)", state, r.Text(r.SampleName()), amount.Count(int64(decide), "comparison"))
}

// compareLegend explains the numbers of a comparison.
func compareLegend(r *result.Comparison) string {
	if r.Paired {
		return fmt.Sprintf("* decides (%s); a, b: medians of the runs; ratio: b to a, by pairs, with its %.0f %% interval; p: the evidence against equals. "+
			"Both hold whenever one stops (a game by pairs, Ville's inequality)%s. "+
			"A slowdown counts if p is at most %g and it is probably beyond %s %%; equals are called slower in at most %s of 100 comparisons.",
			strings.Join(r.Gate, ", "), 100*r.Confidence, correctedText(r), r.Alpha, trimmed(100*r.MaxSlowdown), trimmed(100*r.Alpha))
	}
	return fmt.Sprintf("* decides (%s); base, new: medians of the runs; ratio: new to base, with its %.0f %% confidence interval; "+
		"p: the chance of such a difference between equals, corrected for the number of comparisons (Holm). "+
		"A slowdown counts if p is at most %g and it is beyond %s %%; equals are called slower in at most %s of 100 gates.",
		strings.Join(r.Gate, ", "), 100*r.Confidence, r.Alpha, trimmed(100*r.MaxSlowdown), trimmed(100*r.Alpha))
}

// correctedText says that several metrics decide a paired comparison.
func correctedText(r *result.Comparison) string {
	if len(r.Gate) < 2 {
		return ""
	}
	return ", and p is corrected for the number of metrics that decide (Bonferroni)"
}

// sideNames are what the two sides of a comparison are called in it.
func sideNames(r *result.Comparison) (base, new string) {
	if r.Paired {
		return "a", "b"
	}
	return "base", "new"
}

// commandName is the command that made a comparison.
func commandName(r *result.Comparison) string {
	if r.Paired {
		return "qbench ab"
	}
	return "qbench compare"
}

// samplesText is the number of samples of a row.
func samplesText(r *result.Comparison, row result.ComparisonRow) string {
	if r.Paired {
		return fmt.Sprint(row.NewRuns)
	}
	return fmt.Sprintf("%d+%d", row.BaseRuns, row.NewRuns)
}

// trimmed writes a number without a tail of rounding.
func trimmed(v float64) string { return fmt.Sprintf("%.6g", v) }

// problemLabel says how bad a problem of a comparison is.
func problemLabel(problem result.Problem, r *result.Comparison) (string, style) {
	switch {
	case problem.Refusal && r.Verdict == result.NotComparable:
		return "refused", alarm
	case problem.Refusal:
		return "forced", caution
	}
	return "warning", caution
}

func verdictStyle(v result.Verdict) style {
	switch v {
	case result.Slower, result.NotComparable:
		return alarm
	case result.Inconclusive:
		return caution
	}
	return good
}

func decidesMark(row result.ComparisonRow) string {
	if row.Decides {
		return "*"
	}
	return " "
}

// metricLabel names a metric with its unit.
func metricLabel(row result.ComparisonRow) string {
	switch row.Metric {
	case "orders_per_s":
		return "orders/s"
	case "tps":
		return "tps"
	case "client_cpu_per_order", "client_cpu_per_tx":
		return "CPU " + row.Unit
	}
	return row.Metric + " " + row.Unit
}

func metricValue(row result.ComparisonRow, v float64) string {
	return significant(v)
}

func ratioText(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0) || math.IsNaN(ratio):
		return "-"
	case ratio >= 100:
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.3f", ratio)
}

// intervalText leaves a dash for an interval that the runs do not bound.
func intervalText(row result.ComparisonRow) string {
	if !row.Ratio.Bounded() {
		return "-"
	}
	return ratioText(row.Ratio.Low) + "-" + ratioText(row.Ratio.High)
}

func pText(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

// sameRow tells whether two rows are metrics of the same thing.
func sameRow(a, b *result.ComparisonRow) bool {
	return a.Configuration == b.Configuration && slices.Equal(a.Across, b.Across)
}
