package script

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// AppendSimple appends the text of an SQL command with the values of its
// variables in place, as pgbench sends it in simple query mode. A variable
// that is not set stays as it is written.
func (c *Command) AppendSimple(dst []byte, v *Vars) []byte {
	for i := range c.Pieces {
		p := &c.Pieces[i]
		switch {
		case p.Slot < 0:
			dst = append(dst, p.Literal...)
		case v.IsSet(p.Slot):
			dst = v.AppendText(dst, p.Slot)
		default:
			dst = append(append(dst, ':'), p.Name...)
		}
	}
	return dst
}

// CheckArguments returns an error for the first statement with more
// variables than extended and prepared mode can pass, which is 255.
func (s *Script) CheckArguments() error {
	for i := range s.Commands {
		c := &s.Commands[i]
		variables := 0
		for _, p := range c.Pieces {
			if p.Slot >= 0 {
				variables++
			}
		}
		if variables > maxArgs-1 {
			text := c.AppendSimple(nil, NewVars(NewSymbols()))
			return fmt.Errorf("statement has too many arguments (maximum is %d): %s", maxArgs-1, text)
		}
	}
	return nil
}

// sleepUnits are the units of \sleep.
var sleepUnits = map[string]time.Duration{
	"us": time.Microsecond,
	"ms": time.Millisecond,
	"s":  time.Second,
}

// SleepDuration returns how long \sleep sleeps, from 0 to 146 years. It fails
// for an unset variable and for one that does not start with a number.
// Durations of more than 2^31 microseconds, which overflow in pgbench, are
// meant as they are written.
func (c *Command) SleepDuration(v *Vars) (time.Duration, error) {
	arg := &c.Args[0]
	text := arg.Literal
	if arg.Slot >= 0 {
		if !v.IsSet(arg.Slot) {
			return 0, fmt.Errorf("%s: undefined variable \"%s\"", c.Name, arg.Name)
		}
		text = string(v.AppendText(nil, arg.Slot))
	}
	n := leadingInt(text)
	if arg.Slot >= 0 && n == 0 && digitsLen(text) == 0 {
		return 0, fmt.Errorf("%s: invalid sleep time \"%s\" for variable \"%s\"", c.Name, text, arg.Name)
	}
	unit := time.Second
	if len(c.Args) > 1 {
		unit = sleepUnits[strings.ToLower(c.Args[1].Literal)]
	}
	n = max(n, 0)
	if n > int64(longestSleep/unit) {
		return longestSleep, nil
	}
	return time.Duration(n) * unit, nil
}

// longestSleep is 146 years: added to the time of a run it doesn't overflow.
const longestSleep = time.Duration(math.MaxInt64 / 2)

// leadingInt is C's atoi, but stops at its limits instead of overflowing.
func leadingInt(s string) int64 {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	n, err := parseInt([]byte(sign + s[:digitsLen(s)]))
	switch {
	case err == errNumberRange && sign == "-":
		return math.MinInt64
	case err == errNumberRange:
		return math.MaxInt64
	}
	return n
}

// maxShellLine is the size of pgbench's buffer for a shell command
// (SHELL_COMMAND_SIZE), in bytes.
const maxShellLine = 256

// ShellLine returns the command line of \shell or \setshell: the words, with
// the variables' values in place, separated by single blanks. It fails for an
// unset variable and for a line of 255 bytes or more.
func (c *Command) ShellLine(v *Vars) (string, error) {
	program := c.Args[0].word()
	var line []byte
	for i := range c.Args {
		arg := &c.Args[i]
		if i > 0 {
			line = append(line, ' ')
		}
		switch {
		case arg.Slot < 0:
			line = append(line, arg.Literal...)
		case v.IsSet(arg.Slot):
			line = v.AppendText(line, arg.Slot)
		default:
			return "", fmt.Errorf("%s: undefined variable \"%s\"", program, arg.word())
		}
		if len(line) >= maxShellLine-1 {
			return "", errors.New(program + ": shell command is too long")
		}
	}
	return string(line), nil
}

// word returns the argument as it stands in the script.
func (a *Arg) word() string {
	if a.Slot >= 0 || strings.HasPrefix(a.Literal, ":") {
		return ":" + a.Name + a.Literal
	}
	return a.Literal
}
