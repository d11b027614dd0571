package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// compareHeadline is the verdict of a comparison as one sentence.
func compareHeadline(r *result.Comparison) string {
	decide, slower, undecided := 0, 0, 0
	for _, row := range r.Rows {
		if row.Decides {
			decide++
			switch {
			case row.Verdict == result.Slower:
				slower++
			case row.Verdict == result.Inconclusive && r.Fails(row):
				undecided++
			}
		}
	}
	of := amount.Count(int64(decide), "comparison")
	state := "passed"
	switch {
	case r.Interrupted && r.Verdict != result.Slower:
		state = "interrupted"
	case r.Failed():
		state = "FAILED"
	}
	because := ""
	for _, p := range r.Problems {
		if p.Fails() {
			because = ", " + severityWords[p.Severity]
		}
	}
	switch r.Verdict {
	case result.NotComparable:
		return state + ": not comparable" + because
	case result.Slower:
		return fmt.Sprintf("%s: slower in %d of %s%s", state, slower, of, because)
	case result.Inconclusive:
		switch {
		case undecided > 0:
			return fmt.Sprintf("%s: inconclusive in %d of %s%s%s", state, undecided, of, moreText(r), because)
		case r.NotSlower:
			return fmt.Sprintf("%s: not slower by more than %s, otherwise inconclusive (%s)%s", state, toleratedText(r), of, because)
		case r.NotTwiceSlower:
			return fmt.Sprintf("%s: inconclusive, but not slower by twice the tolerated %s (%s)%s%s", state, toleratedText(r), of, moreText(r), because)
		}
		if r.Failed() || r.Interrupted {
			return fmt.Sprintf("%s: inconclusive (%s)%s%s", state, of, moreText(r), because)
		}
		return fmt.Sprintf("%s because of --undecided %s: inconclusive (%s)%s", state, r.Undecided, of, moreText(r))
	}
	return fmt.Sprintf("%s: %s (%s)%s", state, r.Text(r.SampleName()), of, because)
}

// severityWords say why a comparison fails whatever its rows say.
var severityWords = map[result.Severity]string{
	result.Incomplete: "runs are missing", result.Refused: "refused", result.Invalid: "an audit failed",
}

func moreText(r *result.Comparison) string {
	switch {
	case r.More >= result.MoreCap:
		return fmt.Sprintf("; more than %d more %ss needed", result.MoreCap, r.SampleName())
	case r.More > 0:
		return "; about " + amount.Count(int64(r.More), "more "+r.SampleName()) + " needed"
	}
	return ""
}

// toleratedText is what is tolerated of the deciding metrics, each by its name
// where they differ.
func toleratedText(r *result.Comparison) string {
	var named, values []string
	for _, row := range r.Rows {
		if !row.Decides {
			continue
		}
		text := trimmed(100*row.MaxSlowdown) + "%"
		if !slices.Contains(values, text) {
			values = append(values, text)
		}
		if text += " of " + row.Metric; !slices.Contains(named, text) {
			named = append(named, text)
		}
	}
	switch len(values) {
	case 0:
		return trimmed(100*r.MaxSlowdown) + "%"
	case 1:
		return values[0]
	}
	return strings.Join(named, " or ")
}

// rowName names the configuration of a row, with all that tells it from those of
// the same name in the comparison.
func rowName(r *result.Comparison, i int) string {
	name := r.Rows[i].Name()
	var more []string
	for j := range r.Rows {
		if r.Rows[j].Name() != name {
			continue
		}
		for _, d := range r.Rows[i].Configuration.Diff(r.Rows[j].Configuration) {
			text := d.Name + " " + cmp.Or(d.Base, "none")
			if !slices.Contains(more, text) {
				more = append(more, text)
			}
		}
	}
	return strings.Join(append([]string{name}, more...), ", ")
}

// confidenceOf is that of the intervals.
func confidenceOf(r *result.Comparison) float64 {
	if len(r.Rows) == 0 {
		return 0
	}
	return r.Rows[0].Ratio.Confidence
}

// compareLegend explains the numbers of a comparison and states its rule, a
// subject a line.
func compareLegend(r *result.Comparison) []string {
	base, new := sideNames(r)
	of, test, rate := "the ratios of each new run to each base run", "rank-sum test, corrected for the number of comparisons (Holm)", " if the order of the runs has no effect"
	if r.DifferentTimes {
		rate += ". These sets were measured at different times: that does not hold if the machine changed between them. qbench ab alternates"
	}
	if r.Paired {
		of, test, rate = "the means of the pairs' ratios", "valid whenever one stops (a game by pairs, Ville's inequality)"+correctedText(r), ""
	}
	lines := []string{
		fmt.Sprintf("* decides (%s). %s, %s: medians of the runs. p: probability of such a difference between equals; %s.", strings.Join(r.Gate, ", "), base, new, test),
		fmt.Sprintf("ratio: typical ratio, the median of %s (Hodges-Lehmann), with its %.0f%% confidence interval; not the ratio of the medians.", of, 100*confidenceOf(r)),
		fmt.Sprintf("slower: p is at most %g, and p of a slowdown up to the tolerated %s is at most %g. Equals are called slower in at most %s%% of comparisons%s.",
			r.Alpha, toleratedText(r), r.BeyondLevel, trimmed(100*r.Alpha), rate),
	}
	undecided := "inconclusive: neither slower nor faster, and the interval is not within what is tolerated"
	if !r.Paired {
		undecided += "; or the runs depend on their order (drift)"
	}
	return append(lines, undecided+". "+undecidedRule(r), "Exit status: "+exitRule+".")
}

// exitRule is the order in which several reasons to fail apply.
const exitRule = "4 failed audit; else 1 not comparable, or too few runs to ever decide; else 2 missing, aborted or unaudited runs; else 3 slower, or inconclusive and failed; else 0"

// undecidedRule says what becomes of what is inconclusive.
func undecidedRule(r *result.Comparison) string {
	switch r.Undecided {
	case result.UndecidedPass:
		return "It passes (--undecided pass)."
	case result.UndecidedFail:
		return fmt.Sprintf("It fails unless the interval excludes a slowdown of more than %s (--undecided fail).", toleratedText(r))
	}
	var twice []string
	for _, row := range r.Rows {
		text := trimmed(100*result.Twice(row.MaxSlowdown, row.Better())) + "%"
		if row.Decides && !slices.Contains(twice, text) {
			twice = append(twice, text)
		}
	}
	return fmt.Sprintf("It fails unless the interval excludes twice the tolerated slowdown, %s (--undecided auto).", strings.Join(twice, " or "))
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
func problemLabel(problem result.Problem) (string, style) {
	if problem.Fails() {
		return string(problem.Severity), alarm
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

// metricValue is a median, with a mark where only a bound is known.
func metricValue(row result.ComparisonRow, e result.Estimate) string {
	if e.High > e.Value {
		return "> " + significant(e.Value)
	}
	return significant(e.Value)
}

func ratioText(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0) || math.IsNaN(ratio):
		return "-"
	case ratio >= 10 || ratio < 0.1:
		return significant(ratio)
	}
	return fmt.Sprintf("%.3f", ratio)
}

// intervalText leaves a dash for what the runs do not bound.
func intervalText(row result.ComparisonRow) string {
	low, high := row.Ratio.Low, row.Ratio.High
	switch {
	case row.Ratio.Bounded():
		return ratioText(low) + "-" + ratioText(high)
	case !math.IsInf(low, 0):
		return "> " + ratioText(low)
	case !math.IsInf(high, 0):
		return "< " + ratioText(high)
	}
	return "-"
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
