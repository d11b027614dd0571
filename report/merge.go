package report

import "qbench/runner"

// MergeLatencies puts the latencies of several runs into one histogram, whose
// percentiles are those of all samples together (which the mean of the runs'
// percentiles is not). It returns nil where no run kept its histogram.
func MergeLatencies(runs []*runner.Result) *runner.Histogram {
	var merged *runner.Histogram
	for _, r := range runs {
		if r.LatencyHist == nil {
			continue
		}
		if merged == nil {
			merged = runner.NewHistogram(runner.FineDigits)
		}
		merged.Merge(r.LatencyHist)
	}
	return merged
}
