package capacity

import (
	"fmt"
	"strconv"
)

// perSecond writes a rate in a sentence: three digits are more than any of
// them is known to, and whole numbers read best.
func perSecond(x float64) string {
	if x < 0 {
		return "-" + perSecond(-x)
	}
	if x < 100 {
		return fmt.Sprintf("%.3g", x)
	}
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
