package pgbench

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parseInt reads an option's number the way pgbench does: leading and trailing
// blanks are ignored, and an empty text is 0. The label is the option's name
// in messages.
func parseInt(text, label string, lo, hi int) (int, error) {
	digits := strings.Trim(text, " \t\n\v\f\r")
	if digits == "" {
		digits = "0"
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil && err.(*strconv.NumError).Err == strconv.ErrSyntax {
		return 0, fatalf(`invalid value "%s" for option %s`, text, label)
	}
	if err != nil || n < int64(lo) || n > int64(hi) {
		return 0, fatalf("%s must be in range %d..%d", label, lo, hi)
	}
	return int(n), nil
}

var leadingDouble = regexp.MustCompile(`^[ \t\n\v\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`)

// leadingFloat is C's atof for decimal numbers, which pgbench uses for rates
// and limits: what follows the number is ignored, and no number is 0.
func leadingFloat(text string) float64 {
	m := leadingDouble.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	// Out of range gives an infinity of the right sign, as C does.
	x, _ := strconv.ParseFloat(m[1], 64)
	return x
}

// leadingInt is C's atoi for numbers that fit 32 bits; larger ones stop there.
func leadingInt(text string) int {
	return int(max(math.MinInt32, min(math.MaxInt32, math.Trunc(leadingFloat(leadingDigits.FindString(text))))))
}

var leadingDigits = regexp.MustCompile(`^[ \t\n\v\f\r]*[-+]?[0-9]+`)

// splitWeight cuts NAME@WEIGHT at the last @. Without one the weight is 1.
func splitWeight(text string) (string, int, error) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text, 1, nil
	}
	n, err := strconv.ParseInt(strings.TrimLeft(text[at+1:], " \t\n\v\f\r"), 10, 64)
	if err != nil {
		return "", 0, fatalf("invalid weight specification: %s", text[at:])
	}
	if n < 0 || n > math.MaxInt32 {
		return "", 0, fatalf("weight specification out of range (0 .. %d): %d", math.MaxInt32, n)
	}
	return text[:at], int(n), nil
}

// parseSeed reads --random-seed: "time" and "" take the clock, "rand" the
// system's random source, and anything else is the seed itself.
func parseSeed(text string) (uint64, error) {
	switch text {
	case "", "time":
		return uint64(time.Now().UnixMicro()), nil
	case "rand":
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
		return binary.LittleEndian.Uint64(b[:]), nil
	}
	n, err := strconv.ParseUint(strings.TrimLeft(text, " \t\n\v\f\r"), 10, 64)
	if err != nil {
		return 0, (&exit{status: statusUsage}).
			and(levelError, `unrecognized random seed option "%s"`, text).
			and(levelDetail, `Expecting an unsigned integer, "time" or "rand".`)
	}
	return n, nil
}
