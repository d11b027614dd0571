package script

import "strings"

// metaLexer reads one backslash command: words, or the tokens of an
// expression (exprlex.go), up to the end of the line. A backslash before the
// newline continues the command on the next line.
type metaLexer struct {
	src   string
	file  string
	start int // of the command's backslash
	line  int // 1-based line of the backslash
	pos   int
	ended bool   // the newline that ends the command has been read
	name  string // the command's word, once it is known
}

// word returns the next word, and false at the end of the command.
func (m *metaLexer) word() (string, bool) {
	m.skipBlanks()
	if m.ended || m.pos == len(m.src) {
		return "", false
	}
	if m.src[m.pos] == '\n' {
		m.pos++
		m.ended = true
		return "", false
	}
	start := m.pos
	for m.pos < len(m.src) && !isSpace(m.src[m.pos]) {
		m.pos++
	}
	word := m.src[start:m.pos]
	if w, ok := strings.CutSuffix(word, `\`); ok && w != "" {
		if n := continuationLen(m.src[m.pos-1:]); n > 0 {
			m.pos += n - 1
			return w, true
		}
	}
	return word, true
}

// skipBlanks passes over blanks and continued line ends.
func (m *metaLexer) skipBlanks() {
	for m.pos < len(m.src) {
		c := m.src[m.pos]
		switch {
		case c != '\n' && isSpace(c):
			m.pos++
		case c == '\\':
			n := continuationLen(m.src[m.pos:])
			if n == 0 {
				return
			}
			m.pos += n
		default:
			return
		}
	}
}

// continuationLen returns the length of the continuation mark s starts with,
// 0 if there is none.
func continuationLen(s string) int {
	switch {
	case strings.HasPrefix(s, "\\\n"):
		return 2
	case strings.HasPrefix(s, "\\\r\n"):
		return 3
	}
	return 0
}

// text is the command as read so far, without the newline that ends it.
func (m *metaLexer) text() string {
	return strings.TrimRight(m.src[m.start:m.pos], "\r\n")
}

// errorAt is an error at a column that quotes the command.
func (m *metaLexer) errorAt(msg, more string, column int) *Error {
	e := m.error(msg)
	e.More, e.Column, e.Text = more, column, m.text()
	return e
}

// error is an error that names only the line.
func (m *metaLexer) error(msg string) *Error {
	return &Error{File: m.file, Line: m.line, Command: m.name, Msg: msg}
}
