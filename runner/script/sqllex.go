package script

import "strings"

// sqlLexer finds where SQL statements end, as psql's lexer does (psqlscan.l,
// standard_conforming_strings on): at a semicolon or backslash outside
// quotes, comments, parentheses and the BEGIN ATOMIC bodies of functions.
//
// The depths outlive a statement that a backslash command cuts off, as they
// do in pgbench: after "select (1 \gset" semicolons count as nested.
type sqlLexer struct {
	src       string
	pos       int
	parens    int
	begins    int     // nested BEGIN (and CASE within) of a function's body
	words     int     // identifiers of the statement so far
	initials  [4]byte // of the first ones, if they can start CREATE FUNCTION
	onComment func(start, end int)

	out   []byte // text of the statement
	start int    // where it starts in src; meaningful if out is not empty
}

// sqlEnd is what ended a piece of SQL.
type sqlEnd uint8

const (
	endOfText sqlEnd = iota
	endSemicolon
	endBackslash // the backslash has been read
)

// next reads SQL up to an end. Blanks and comments before the statement are
// left out of its text; those within and after it are kept, as they are sent.
func (l *sqlLexer) next() sqlEnd {
	l.out = l.out[:0]
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isSpace(c):
			l.blank(1)
		case l.at("--"):
			l.lineComment()
		case l.at("/*"):
			l.emit(l.blockCommentLen())
		case c == '\'':
			l.emit(l.quotedLen(0))
		case c == '"':
			l.emit(closing(l.src[l.pos:], 1, '"'))
		case c == '$':
			l.emit(l.dollarLen())
		case c == ':':
			l.colon()
		case c == '(':
			l.parens++
			l.emit(1)
		case c == ')':
			l.parens = max(l.parens-1, 0)
			l.emit(1)
		case c == ';':
			l.emit(1)
			if l.parens == 0 && l.begins == 0 {
				l.words = 0
				return endSemicolon
			}
		case c == '\\':
			if l.escapedSign() {
				continue
			}
			l.pos++
			return endBackslash
		case isDigit(c), c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
			l.emit(sqlNumberLen(l.src[l.pos:]))
		case isNameStart(c):
			l.identifier()
		default:
			l.emit(1)
		}
	}
	return endOfText
}

func (l *sqlLexer) at(s string) bool { return strings.HasPrefix(l.src[l.pos:], s) }

// emit adds the next n bytes to the statement's text.
func (l *sqlLexer) emit(n int) {
	if len(l.out) == 0 {
		l.start = l.pos
	}
	l.out = append(l.out, l.src[l.pos:l.pos+n]...)
	l.pos += n
}

// replace adds text to the statement for the next n bytes.
func (l *sqlLexer) replace(n int, text string) {
	if len(l.out) == 0 {
		l.start = l.pos
	}
	l.out = append(l.out, text...)
	l.pos += n
}

// blank passes over n bytes that only count within a statement.
func (l *sqlLexer) blank(n int) {
	if len(l.out) > 0 {
		l.emit(n)
		return
	}
	l.pos += n
}

func (l *sqlLexer) lineComment() {
	n := strings.IndexAny(l.src[l.pos:], "\r\n")
	if n < 0 {
		n = len(l.src) - l.pos
	}
	l.onComment(l.pos, l.pos+n)
	l.blank(n)
}

// escapedSign handles \; and \: , which put the sign into the text without
// its meaning.
func (l *sqlLexer) escapedSign() bool {
	if !l.at(`\;`) && !l.at(`\:`) {
		return false
	}
	if l.src[l.pos+1] == ';' {
		l.words = 0
	}
	l.replace(2, l.src[l.pos+1:l.pos+2])
	return true
}

// blockCommentLen returns the length of a comment, with those nested in it.
func (l *sqlLexer) blockCommentLen() int {
	s := l.src[l.pos:]
	depth := 0
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return len(s)
}

// closing returns the position after the next quote in s from i on, or the
// end. A doubled quote closes and opens again, which comes to the same.
func closing(s string, i int, quote byte) int {
	n := strings.IndexByte(s[i:], quote)
	if n < 0 {
		return len(s)
	}
	return i + n + 1
}

// quotedLen returns the length of the string at prefix bytes from here. A
// string that is continued after a newline needs no care: its next part is a
// string again.
func (l *sqlLexer) quotedLen(prefix int) int {
	return closing(l.src[l.pos:], prefix+1, '\'')
}

// escapeStringLen returns the length of a string E'…', in which a backslash
// takes the next character with it. Its continuation after a newline has
// backslashes too, though no E of its own.
func (l *sqlLexer) escapeStringLen() int {
	s := l.src[l.pos:]
	for i := 2; i < len(s); {
		switch {
		case s[i] == '\\':
			i += 2
		case strings.HasPrefix(s[i:], "''"):
			i += 2
		case s[i] == '\'':
			n := continuedQuoteLen(s[i+1:])
			if n == 0 {
				return i + 1
			}
			i += 1 + n
		default:
			i++
		}
	}
	return len(s)
}

// continuedQuoteLen returns the length of the blanks and comments, with a
// newline before any second comment, and the quote that continue a string,
// or 0.
func continuedQuoteLen(s string) int {
	newline := false
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\n' || s[i] == '\r':
			newline = true
			i++
		case isSpace(s[i]):
			i++
		case strings.HasPrefix(s[i:], "--"):
			n := strings.IndexAny(s[i:], "\r\n")
			if n < 0 {
				return 0
			}
			i += n
		case s[i] == '\'' && newline:
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// dollarLen returns the length of what a dollar sign starts: a dollar-quoted
// string, a parameter, or nothing but the sign.
func (l *sqlLexer) dollarLen() int {
	s := l.src[l.pos:]
	if n := digitsLen(s[1:]); n > 0 {
		return 1 + n + identifierLen(s[1+n:])
	}
	n := 1
	if n < len(s) && isNameStart(s[n]) {
		n += nameLen(s[n:])
	}
	if n == len(s) || s[n] != '$' {
		return 1
	}
	tag := s[:n+1]
	end := strings.Index(s[len(tag):], tag)
	if end < 0 {
		return len(s)
	}
	return len(tag) + end + len(tag)
}

// colon reads what a colon starts. Of psql's forms of variables, :'name' and
// :"name" are tokens that go out as they are, so that their quotes start no
// string, and :{?name}, psql's test whether a variable is set, goes out as
// FALSE: psql's lexer knows none of pgbench's variables.
func (l *sqlLexer) colon() {
	s := l.src[l.pos:]
	if len(s) < 2 {
		l.emit(1)
		return
	}
	switch next := s[1]; {
	case next == ':' || next == '=':
		l.emit(2)
	case isNameByte(next):
		l.emit(1 + nameLen(s[1:]))
	case next == '\'' || next == '"':
		if n := nameLen(s[2:]); n > 0 && strings.HasPrefix(s[2+n:], s[1:2]) {
			l.emit(2 + n + 1)
			return
		}
		l.emit(1)
	case strings.HasPrefix(s, ":{?"):
		if n := nameLen(s[3:]); n > 0 && strings.HasPrefix(s[3+n:], "}") {
			l.replace(3+n+1, "FALSE")
			return
		}
		l.emit(1)
	default:
		l.emit(1)
	}
}

// sqlNumberLen returns the length of a number with any letters that stick to
// it. That 1e- takes the sign along matters if a second one follows.
func sqlNumberLen(s string) int {
	n := underscoredLen(s)
	if n < len(s) && s[n] == '.' && (n == 0 || !strings.HasPrefix(s[n:], "..")) {
		n++
		n += underscoredLen(s[n:])
	}
	if n+1 < len(s) && (s[n] == 'e' || s[n] == 'E') && (s[n+1] == '+' || s[n+1] == '-') {
		n += 2
		digits := underscoredLen(s[n:])
		if digits == 0 {
			return n
		}
		n += digits
	}
	return n + identifierLen(s[n:])
}

// underscoredLen returns the length of digits with single underscores
// between them.
func underscoredLen(s string) int {
	n := digitsLen(s)
	for n > 0 && n+1 < len(s) && s[n] == '_' && isDigit(s[n+1]) {
		n += 1 + digitsLen(s[n+1:])
	}
	return n
}

// identifierLen returns the length of the SQL identifier s starts with; after
// its first character it may contain dollar signs.
func identifierLen(s string) int {
	if s == "" || !isNameStart(s[0]) {
		return 0
	}
	n := 1
	for n < len(s) && (isNameByte(s[n]) || s[n] == '$') {
		n++
	}
	return n
}

func (l *sqlLexer) identifier() {
	s := l.src[l.pos:]
	n := identifierLen(s)
	if n == 1 && len(s) > 1 && s[1] == '\'' {
		switch s[0] {
		case 'e', 'E':
			l.emit(min(l.escapeStringLen(), len(s)))
			return
		case 'b', 'B', 'x', 'X':
			l.emit(l.quotedLen(1))
			return
		}
	}
	if n == 1 && (s[0] == 'u' || s[0] == 'U') && len(s) > 2 && s[1] == '&' && (s[2] == '\'' || s[2] == '"') {
		l.emit(closing(s, 3, s[2]))
		return
	}
	l.trackBody(strings.ToLower(s[:n]))
	l.emit(n)
}

// trackBody follows BEGIN and END through a CREATE [OR REPLACE] FUNCTION or
// PROCEDURE, whose body may contain semicolons without quotes.
func (l *sqlLexer) trackBody(word string) {
	if l.words == 0 {
		l.initials = [4]byte{}
	}
	switch word {
	case "create", "function", "procedure", "or", "replace":
		if l.words < len(l.initials) {
			l.initials[l.words] = word[0]
		}
	}
	l.words++
	if l.parens > 0 || !l.inRoutine() {
		return
	}
	switch word {
	case "begin":
		l.begins++
	case "case":
		if l.begins > 0 {
			l.begins++
		}
	case "end":
		l.begins = max(l.begins-1, 0)
	}
}

func (l *sqlLexer) inRoutine() bool {
	isRoutine := func(c byte) bool { return c == 'f' || c == 'p' }
	w := l.initials
	return w[0] == 'c' && (isRoutine(w[1]) || w[1] == 'o' && w[2] == 'r' && isRoutine(w[3]))
}
