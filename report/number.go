package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/amount"
)

// rate writes a number per second: whole ones from a thousand on, where the
// decimals would only be noise.
func rate(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) >= 1e15:
		return fmt.Sprintf("%.4g", x)
	case math.Abs(x) >= 1000:
		return amount.Grouped(int64(math.Round(x)))
	default:
		return fmt.Sprintf("%.1f", x)
	}
}

// millis writes milliseconds without their unit, at most nine characters for
// anything that a histogram can hold (10 minutes).
func millis(ms float64) string {
	switch {
	case math.Abs(ms) >= 10000:
		return fmt.Sprintf("%.0f", ms)
	case math.Abs(ms) >= 1000:
		return fmt.Sprintf("%.1f", ms)
	default:
		return fmt.Sprintf("%.3f", ms)
	}
}

// seconds writes a duration of a run.
func seconds(s float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", s), "0"), ".") + " s"
}

// percent is 100·part/whole; 0 where there is no whole.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// mebibytes writes a size in memory.
func mebibytes(n int64) string {
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// median of the samples; 0 for none. The argument keeps its order.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(samples))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	return (s[mid-1] + s[mid]) / 2
}
