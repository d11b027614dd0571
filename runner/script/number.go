package script

import (
	"math"
	"strconv"
	"strings"
)

// smallestNormal is the least positive double of full precision, 2^-1022.
const smallestNormal = 0x1p-1022

// parseDouble reads a number as C's strtod does, the whole of s: leading
// spaces, decimal and hexadecimal numbers, inf, infinity and nan. Overflow
// and underflow are errors. A number below the normal range counts as
// underflow; strtod lets those pass that are exact, which takes more than
// 700 digits to write down.
func parseDouble(s string) (float64, error) {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	body, negative := s, false
	if body != "" && (body[0] == '+' || body[0] == '-') {
		negative = body[0] == '-'
		body = body[1:]
	}
	if strings.EqualFold(body, "nan") {
		return math.NaN(), nil
	}
	if body == "" || body[0] == '+' || body[0] == '-' || strings.Contains(body, "_") {
		return 0, errNumberSyntax
	}
	hex := len(body) > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')
	if hex && !strings.ContainsAny(body, "pP") {
		body += "p0" // C lets the exponent be left out, Go does not
	}
	f, err := strconv.ParseFloat(body, 64)
	if err != nil {
		if err.(*strconv.NumError).Err == strconv.ErrRange {
			return 0, errNumberRange
		}
		return 0, errNumberSyntax
	}
	if f < smallestNormal && hasNonZeroDigit(body, hex) {
		return 0, errNumberRange
	}
	if negative {
		f = -f
	}
	return f, nil
}

// hasNonZeroDigit tells a number that became zero by underflow from zero.
func hasNonZeroDigit(body string, hex bool) bool {
	exponent := "eE"
	if hex {
		body, exponent = body[2:], "pP"
	}
	if i := strings.IndexAny(body, exponent); i >= 0 {
		body = body[:i]
	}
	return strings.Trim(body, "0.") != ""
}
