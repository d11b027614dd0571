package report

import (
	"fmt"
	"io"
	"strings"

	"qbench/internal/result"
)

// CompareJUnit writes a comparison as JUnit XML: what fails the gate is a failure,
// what is undecided and passes is skipped, and what is refused, missing or invalid
// is an error. The rule stands in the suite's output.
func CompareJUnit(w io.Writer, r *result.Comparison, _ Options) error {
	suite := junitSuite{Name: commandName(r)}
	var notes []string
	for _, problem := range r.Problems {
		label, _ := problemLabel(problem)
		if !problem.Fails() {
			notes = append(notes, label+": "+clean(problem.Text))
			continue
		}
		suite.Cases = append(suite.Cases, junitCase{
			Class: "comparability", Name: problem.Kind,
			Error: &junitResult{Message: clean(problem.Text), Type: string(problem.Severity)},
		})
	}
	for i, row := range r.Rows {
		c := junitCase{Class: clean(rowName(r, i)), Name: clean(row.Metric)}
		numbers := fmt.Sprintf("%s: %s to %s, typical ratio %s, %.0f%% interval %s, p = %s, %s %ss", metricLabel(row),
			metricValue(row, row.BaseMedian), metricValue(row, row.NewMedian), ratioText(row.Ratio.Value), 100*confidenceOf(r), intervalText(row), pText(row.P), strings.Replace(samplesText(r, row), "+", " and ", 1), r.SampleName())
		message := row.Text(r.SampleName())
		switch {
		case r.Fails(row):
			c.Failure = &junitResult{Message: message, Type: string(row.Verdict), Text: numbers}
		case row.Decides && row.Verdict == result.Inconclusive:
			c.Skipped = &junitResult{Message: message}
			c.Out = numbers
		default:
			c.Out = message + "; " + numbers
		}
		suite.Cases = append(suite.Cases, c)
	}
	if len(r.Rows) > 0 {
		notes = append(notes, compareLegend(r)...)
	}
	suite.Out = strings.Join(notes, "\n")
	return writeJUnit(w, suite)
}
