// Package amount writes numbers as people read them.
package amount

import "strconv"

// Grouped writes an integer with a comma between thousands.
func Grouped[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(text) - 3; i > first; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count writes a number with its noun, in the plural where it needs one.
func Count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// AtLeast writes a number of which it may be known only that it is the least.
func AtLeast[N int | int64](n N, unknown bool) string {
	if unknown {
		return Grouped(n) + " or more"
	}
	return Grouped(n)
}
