package stats

import (
	"math"

	"qbench/internal/result"
)

// Confidence is that of the intervals which this package computes.
const Confidence = 0.95

// Interval is a value with its interval at [Confidence].
func Interval(value, low, high float64) result.Estimate {
	return result.Estimate{Value: value, Low: low, High: high, Confidence: Confidence}
}

// Unbounded is a value about whose error nothing is known.
func Unbounded(value float64) result.Estimate {
	return result.Estimate{Value: value, Low: math.Inf(-1), High: math.Inf(1)}
}

func sq(x float64) float64 { return x * x }
