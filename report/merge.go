package report

import "qbench/internal/result"

// MergeLatencies puts the latencies of several runs into one histogram, whose
// percentiles are those of all samples together (which the mean of the runs'
// percentiles is not). It returns nil where no run kept its histogram.
func MergeLatencies(runs []*result.Run) *result.Histogram {
	var merged *result.Histogram
	for _, r := range runs {
		if r.LatencyHist == nil {
			continue
		}
		if merged == nil {
			merged = result.NewHistogram(result.FineDigits)
		}
		merged.Merge(r.LatencyHist)
	}
	return merged
}
