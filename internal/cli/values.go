package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"qbench/internal/getopt"

	"github.com/urfave/cli/v2"
)

// values reads flags and keeps the first mistake, so that a command can read
// all of them and look at the error once.
type values struct {
	c   *cli.Context
	err error
	// elsewhere says that the mistake is not in the command line, but in what
	// it names.
	elsewhere bool
}

func (v *values) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

// failElsewhere notes a mistake that reading the help does not mend.
func (v *values) failElsewhere(err error) {
	if v.err == nil {
		v.err, v.elsewhere = err, true
	}
}

// mistake is the first error, as a usage error where it is one.
func (v *values) mistake() error {
	if v.err == nil || v.elsewhere {
		return v.err
	}
	return &usageError{v.err, v.c.Command.Name}
}

// label is how a flag is called in messages: by its letter if it has one.
func (v *values) label(name string) string {
	for _, f := range v.c.Command.Flags {
		if names := f.Names(); slices.Contains(names, name) {
			for _, n := range names {
				if len(n) == 1 {
					return getopt.Dashed(n)
				}
			}
		}
	}
	return getopt.Dashed(name)
}

// text returns a flag's value as it was given.
func (v *values) text(name string) string { return v.c.String(name) }

func (v *values) given(name string) bool { return v.c.IsSet(name) }

// integer reads a whole number between least and most.
func (v *values) integer(name, what string, least, most int64) int64 {
	return v.parseInteger(name, v.text(name), what, least, most)
}

func (v *values) parseInteger(name, text, what string, least, most int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		bounds := fmt.Sprintf("%d or more", least)
		if most < math.MaxInt64 {
			bounds = fmt.Sprintf("%d to %d", least, most)
		}
		v.fail("%s %q: not a number of %s: use %s", v.label(name), text, what, bounds)
		return least
	}
	return n
}

// list splits a flag's value at commas.
func (v *values) list(name string) []string {
	var out []string
	for _, item := range strings.Split(v.text(name), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			v.fail("%s %q: an entry of the list is empty", v.label(name), v.text(name))
			return nil
		}
		out = append(out, item)
	}
	return out
}

// unsigned reads a seed.
func (v *values) unsigned(name string) uint64 {
	n, err := strconv.ParseUint(v.text(name), 10, 64)
	if err != nil {
		v.fail("%s %q: not a whole number from 0 to %d", v.label(name), v.text(name), uint64(math.MaxUint64))
	}
	return n
}

// duration reads a time: with a unit as Go writes it, or as a plain number of
// the unit that the field's tools take.
func (v *values) duration(name string, unit time.Duration) time.Duration {
	text := v.text(name)
	d, err := parseDuration(text, unit)
	if err != nil || d < 0 {
		v.fail("%s %q: not a time: use a number of %s, or one with a unit such as 500ms, 30s or 5m", v.label(name), text, unitNames[unit])
	}
	return d
}

var unitNames = map[time.Duration]string{time.Second: "seconds", time.Millisecond: "milliseconds"}

func parseDuration(text string, unit time.Duration) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if ns := n * float64(unit); math.Abs(ns) < math.MaxInt64 {
			return time.Duration(ns), nil
		}
		return 0, strconv.ErrRange
	}
	return time.ParseDuration(text)
}

// positive reads a floating-point number above 0.
func (v *values) positive(name, what string) float64 {
	n, err := strconv.ParseFloat(v.text(name), 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		v.fail("%s %q: not %s: use a number above 0", v.label(name), v.text(name), what)
	}
	return n
}

// pairs reads the name=value of a repeatable flag; a later one wins.
func (v *values) pairs(name string) map[string]string {
	out := map[string]string{}
	for _, text := range v.c.StringSlice(name) {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			v.fail("%s %q: write NAME=VALUE", v.label(name), text)
			continue
		}
		out[key] = value
	}
	return out
}

// unique is a list with each entry once, where it stands first.
func unique(list []string) []string {
	var out []string
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
