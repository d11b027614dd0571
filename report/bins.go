package report

import (
	"math"

	"qbench/internal/result"
)

// bin is a bar of a histogram: the samples in [fromMS, toMS).
type bin struct {
	fromMS, toMS float64
	count        int64
}

// preferred are the bounds per decade that bars may have, the finest first:
// round numbers at nearly equal distances on a logarithmic scale (the first is
// the Renard series R10, rounded to what people call round).
var preferred = [][]float64{
	{1, 1.25, 1.6, 2, 2.5, 3, 4, 5, 6, 8},
	{1, 1.5, 2, 3, 5, 7},
	{1, 2, 5},
	{1, 3},
	{1},
}

// distribution lists the occupied places of a histogram as (ms, count). It is
// read from the places themselves, not from the exact minimum and maximum,
// which a damaged file may contradict.
func distribution(h *result.Histogram) (ms []float64, counts []int64) {
	if h == nil || h.HDR() == nil {
		return nil, nil
	}
	for _, bar := range h.HDR().Distribution() {
		if bar.Count > 0 {
			// The middle of the place: its lower end may lie below a bound that
			// all of its samples lie above.
			ms = append(ms, max(1, (float64(bar.From)+float64(bar.To))/2)/1e6)
			counts = append(counts, bar.Count)
		}
	}
	return ms, counts
}

// logBins sorts the samples into at most limit bars of round, log-spaced
// bounds: the finest that fit. No sample is left out.
func logBins(h *result.Histogram, limit int) []bin {
	ms, counts := distribution(h)
	if len(ms) == 0 {
		return nil
	}
	var edges []float64
	for _, steps := range preferred {
		edges = bounds(steps, ms[0], ms[len(ms)-1])
		if len(edges)-1 <= limit {
			break
		}
	}
	bins := make([]bin, len(edges)-1)
	for i := range bins {
		bins[i].fromMS, bins[i].toMS = edges[i], edges[i+1]
	}
	for i, n := range sortInto(bins, ms, counts) {
		bins[i].count = n
	}
	return bins
}

// countInto counts the samples of another histogram in the same bars; what
// lies outside of them counts in the first or last.
func countInto(bins []bin, h *result.Histogram) []int64 {
	ms, counts := distribution(h)
	return sortInto(bins, ms, counts)
}

func sortInto(bins []bin, ms []float64, counts []int64) []int64 {
	out := make([]int64, len(bins))
	at := 0
	for i, v := range ms {
		for at < len(bins)-1 && v >= bins[at].toMS {
			at++
		}
		out[at] += counts[i]
	}
	return out
}

// bounds are the round numbers from the last at or below lo to the first
// above hi.
func bounds(steps []float64, lo, hi float64) []float64 {
	var edges []float64
	for decade := math.Floor(math.Log10(lo)); ; decade++ {
		for _, step := range steps {
			edge := step * math.Pow(10, decade)
			if edge <= lo && len(edges) > 0 {
				edges = edges[:0]
			}
			edges = append(edges, edge)
			if edge > hi && len(edges) > 1 {
				return edges
			}
		}
	}
}
