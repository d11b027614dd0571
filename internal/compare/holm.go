package compare

import (
	"cmp"
	"slices"
)

// holm adjusts the p-values of a family so that, compared with a level, they
// keep the chance of even one false alarm in the whole family at that level,
// however the hypotheses depend on each other (Holm, Scand. J. Statist. 6,
// 1979). It is never weaker than Bonferroni's correction. Procedures that limit the share
// of false alarms among the alarms instead (Benjamini and Hochberg) are for
// searches; a gate fails at the first.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	highest := 0.0
	for place, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(p)-place)))
		out[i] = highest
	}
	return out
}
