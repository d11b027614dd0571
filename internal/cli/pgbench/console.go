package pgbench

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"qbench/internal/conninfo"
	"qbench/internal/printable"
)

// name is what messages start with. It is pgbench's and not qbench's, because
// those who read them by machine look for it.
const name = "pgbench"

// Levels of messages. The empty level is text that is printed as it is.
const (
	levelRaw     = ""
	levelError   = "error"
	levelWarning = "warning"
	levelDetail  = "detail"
	levelHint    = "hint"
	levelInfo    = "info"
	levelDebug   = "debug"
	levelNotice  = "notice"
)

// console is where messages go; threads of the run share it.
type console struct {
	out     io.Writer
	secrets conninfo.Secrets // of the command line; no message repeats them

	mu  sync.Mutex
	err io.Writer
}

// message prints a message to standard error in pgbench's form.
func (c *console) message(level, text string) {
	text = c.secrets.Mask(strings.TrimSuffix(text, "\n")) + "\n"
	switch level {
	case levelRaw, levelNotice:
	case levelInfo, levelDebug:
		text = name + ": " + text
	default:
		text = name + ": " + level + ": " + text
	}
	c.printError(text)
}

// printError writes to standard error, with the control characters of others
// shown as escapes. If that fails, there is nowhere left to report it.
func (c *console) printError(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.err, printable.Text(text))
}

// exit is the error that ends the program: what to print, and the status.
// Several lines belong together where pgbench adds a detail or a hint.
type exit struct {
	status int
	lines  []exitLine
}

type exitLine struct{ level, text string }

func (e *exit) Error() string {
	texts := make([]string, len(e.lines))
	for i, l := range e.lines {
		texts[i] = l.text
	}
	return strings.Join(texts, "\n")
}

// fatalf is a mistake in the command line or the setup, which end pgbench
// with status 1.
func fatalf(format string, args ...any) *exit {
	return (&exit{status: statusUsage}).and(levelError, format, args...)
}

// and adds a line.
func (e *exit) and(level, format string, args ...any) *exit {
	e.lines = append(e.lines, exitLine{level, fmt.Sprintf(format, args...)})
	return e
}

// tryHelp is the hint below mistakes in the command line's form.
func (e *exit) tryHelp() *exit {
	return e.and(levelHint, `Try "%s --help" for more information.`, name)
}

// finished ends the program with success after it printed what was asked for.
var finished = &exit{}
