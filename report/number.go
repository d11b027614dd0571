package report

import (
	"math"
	"strconv"

	"qbench/internal/amount"
)

// significant is [amount.Number] with the zeros at the end of its three digits,
// so that numbers stand below each other.
func significant(x float64) string {
	digits := amount.Digits(x)
	if a := math.Abs(digits); a < 1e-4 || a >= 1000 || math.IsNaN(x) {
		return amount.Number(x)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(digits)) + 1e-9))
	return strconv.FormatFloat(digits, 'f', 2-exponent, 64)
}

// seconds writes a duration of a run.
func seconds(s float64) string { return amount.Number(s) + " s" }

// milliseconds writes a time, from a second on in seconds.
func milliseconds(ms float64) string {
	if ms < 1000 {
		return amount.Number(ms) + " ms"
	}
	return seconds(ms / 1000)
}

// percent is 100·part/whole; 0 where there is no whole.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// mebibytes writes a size in memory.
func mebibytes(n int64) string { return amount.Number(float64(n)/(1<<20)) + " MiB" }

// shortest writes a number for programs: the fewest digits that read back as
// the same.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
