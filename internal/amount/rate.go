package amount

import (
	"math"
	"strconv"
)

// Digits rounds to three significant digits, which is more than a rate or a
// latency is known to.
func Digits(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return rounded
}

// Number writes a number with three significant digits, with a comma between
// thousands and an exponent for tiny and huge ones: 1.2e-05, 0.00123, 45.6, 1,230,000.
func Number(x float64) string {
	x = Digits(x)
	if a := math.Abs(x); a != 0 && a < 1e-4 || a > 1e15 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if math.Abs(x) < 1000 || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return Grouped(int64(x))
}
