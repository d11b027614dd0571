// Package printable makes text of others fit for a terminal. Names come from
// files, messages from servers; an escape sequence in them could move the
// cursor, recolour the screen or hide what was printed before.
package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text shows control characters (C0 but line feed and tab, DEL, C1), those that
// change the direction of writing, and bytes that are no UTF-8 as escapes such
// as \x1b and \u202e. Text without any is returned as it is.
func Text(s string) string {
	return escape(s, func(c rune, size int) string {
		switch {
		case c == utf8.RuneError && size == 1, c <= unicode.MaxLatin1:
			return `\x%02x`
		default:
			return `\u%04x`
		}
	})
}

// Line is [Text] on one line: line feeds and tabs become blanks.
func Line(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		return c
	}, Text(s))
}

// JSON writes the same characters of a JSON text as its own escapes, which read
// back as the characters they were: in JSON they can only be part of a string.
func JSON(s string) string {
	return escape(s, func(rune, int) string { return `\u%04x` })
}

func escape(s string, format func(c rune, size int) string) string {
	clean := 0 // bytes that need no escape
	var b strings.Builder
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		bad := c == utf8.RuneError && size == 1
		if bad || isControl(c) {
			b.WriteString(s[clean:i])
			n := c
			if bad {
				n = rune(s[i])
			}
			fmt.Fprintf(&b, format(c, size), n)
			clean = i + size
		}
		i += size
	}
	if clean == 0 {
		return s
	}
	b.WriteString(s[clean:])
	return b.String()
}

func isControl(c rune) bool {
	if c == '\n' || c == '\t' {
		return false
	}
	// U+2028 and U+2029 end a line for some readers of logs.
	return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == '\u2028' || c == '\u2029'
}

// Writer passes on what is written as [Text] has it.
type Writer struct {
	Raw io.Writer
	// Err is the first error of Raw: who prints line by line looks at none.
	Err error
}

// Write implements [io.Writer]. A character must not be split between calls.
func (w *Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Raw, Text(string(p))); err != nil {
		if w.Err == nil {
			w.Err = err
		}
		return 0, err
	}
	return len(p), nil
}

// Unwrap gives a [Writer]'s own writer, for what brings colours and the like of
// its own and escapes the rest by itself; any other writer is returned as it is.
func Unwrap(w io.Writer) io.Writer {
	if t, ok := w.(*Writer); ok {
		return t.Raw
	}
	return w
}
