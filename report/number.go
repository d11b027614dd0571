package report

import (
	"math"
	"strconv"
	"strings"

	"qbench/internal/amount"
)

// significant writes a number with three significant digits, which is more than
// a measurement on a shared machine is good for, and a comma between thousands.
// Zeros at the end stay, so that numbers stand below each other.
func significant(x float64) string {
	if x == 0 {
		return "0"
	}
	if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) >= 1e15 || math.Abs(x) < 1e-6 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	// The exponent after rounding: 999.6 is 1,000.
	scientific := strconv.FormatFloat(x, 'e', 2, 64)
	exponent, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	if exponent < 3 {
		return strconv.FormatFloat(x, 'f', 2-exponent, 64)
	}
	rounded, _ := strconv.ParseFloat(scientific, 64)
	return amount.Grouped(int64(rounded))
}

// prose is [significant] without zeros at the end, as a sentence has it.
func prose(x float64) string {
	text := significant(x)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// seconds writes a duration of a run.
func seconds(s float64) string { return prose(s) + " s" }

// percent is 100·part/whole; 0 where there is no whole.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// mebibytes writes a size in memory.
func mebibytes(n int64) string { return prose(float64(n)/(1<<20)) + " MiB" }

// shortest writes a number for programs: the fewest digits that read back as
// the same.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
