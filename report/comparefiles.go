package report

import (
	"fmt"
	"io"
	"strings"

	"qbench/internal/result"
)

// CompareJSON writes a comparison as it is, with what follows from it beside:
// "failed", whether the gate fails.
func CompareJSON(w io.Writer, r *result.Comparison, _ Options) error {
	err := writeJSON(w, struct {
		Format string `json:"format"`
		Failed bool   `json:"failed"`
		*result.Comparison
	}{"qbench-compare/1", r.Failed(), r})
	if err != nil {
		return fmt.Errorf("write comparison: %w", err)
	}
	return nil
}

// CompareJUnit writes a comparison as JUnit XML: what fails the gate is a
// failure, what nobody can tell is skipped, a refusal is an error.
func CompareJUnit(w io.Writer, r *result.Comparison, _ Options) error {
	suite := junitSuite{Name: commandName(r)}
	var warnings []string
	for _, problem := range r.Problems {
		label, _ := problemLabel(problem, r)
		if label != "refused" {
			warnings = append(warnings, label+": "+clean(problem.Text))
			continue
		}
		suite.Cases = append(suite.Cases, junitCase{
			Class: "comparability", Name: problem.Kind,
			Error: &junitResult{Message: clean(problem.Text), Type: problem.Kind},
		})
	}
	for _, row := range r.Rows {
		c := junitCase{Class: clean(row.Name()), Name: clean(row.Metric)}
		numbers := fmt.Sprintf("%s: %s to %s, ratio %s, %.0f %% interval %s, p = %s, %s %ss", metricLabel(row),
			metricValue(row, row.BaseMedian), metricValue(row, row.NewMedian), ratioText(row.Ratio.Value), 100*r.Confidence, intervalText(row), pText(row.P), strings.Replace(samplesText(r, row), "+", " and ", 1), r.SampleName())
		outcome := &junitResult{Message: row.Text(r.SampleName()), Type: string(row.Verdict), Text: numbers}
		switch {
		case r.Fails(row):
			c.Failure = outcome
		case row.Decides && row.Verdict == result.Inconclusive:
			c.Skipped = &junitResult{Message: outcome.Message}
			c.Out = numbers
		default:
			c.Out = outcome.Message + "; " + numbers
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Out = strings.Join(warnings, "\n")
	return writeJUnit(w, suite)
}
