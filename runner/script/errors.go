package script

import (
	"fmt"
	"strings"
)

// Error is a mistake in a script, found while parsing it.
type Error struct {
	File    string // the script's name
	Line    int    // 1-based line of the command, 0 if unknown
	Column  int    // 1-based byte offset in Text of the place, 0 if unknown
	Text    string // the command as written, where it is known
	Command string // the backslash command's word, where there is one
	Msg     string // what is wrong
	More    string // the part of the script it is about, if not empty

	whole bool // Msg says it all, file included
}

// Error returns pgbench's message (syntax_error): "FILE:LINE: MSG (MORE) in
// command "WORD"" and, where the text is known, the text and a line with a
// caret under the place.
func (e *Error) Error() string {
	if e.whole {
		return e.Msg
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s", e.File, e.Line, e.Msg)
	if e.More != "" {
		fmt.Fprintf(&b, " (%s)", e.More)
	}
	if e.Text == "" && e.Column > 0 {
		fmt.Fprintf(&b, " at column %d", e.Column)
	}
	if e.Command != "" {
		fmt.Fprintf(&b, " in command \"%s\"", e.Command)
	}
	if e.Text != "" {
		b.WriteString("\n" + e.Text)
		if e.Column > 0 {
			fmt.Fprintf(&b, "\n%*s error found here", e.Column, "^")
		}
	}
	return b.String()
}
