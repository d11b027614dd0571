package script

import "strings"

type token uint8

// Tokens of expressions. Signs stand for themselves in tokenSigns.
const (
	tokEnd token = iota // end of line or of the script
	tokInt
	tokMinInt // 9223372036854775808, legal only after a minus
	tokDouble
	tokTrue
	tokFalse
	tokNull
	tokVariable
	tokFunction
	tokAnd
	tokOr
	tokNot
	tokIs
	tokIsNull
	tokNotNull
	tokCase
	tokWhen
	tokThen
	tokElse
	tokEndCase
	tokOpen
	tokClose
	tokComma
	tokTilde
	tokPlus
	tokMinus
	tokStar
	tokSlash
	tokPercent
	tokAmpersand
	tokPipe
	tokHash
	tokShiftLeft
	tokShiftRight
	tokEq
	tokNe
	tokLt
	tokLe
	tokGt
	tokGe
)

var keywords = map[string]token{
	"and": tokAnd, "or": tokOr, "not": tokNot, "is": tokIs, "isnull": tokIsNull,
	"notnull": tokNotNull, "case": tokCase, "when": tokWhen, "then": tokThen,
	"else": tokElse, "end": tokEndCase, "true": tokTrue, "false": tokFalse, "null": tokNull,
}

// signs are tried in order: the longer ones first.
var signs = []struct {
	text string
	tok  token
}{
	{"<>", tokNe}, {"!=", tokNe}, {"<=", tokLe}, {">=", tokGe}, {"<<", tokShiftLeft}, {">>", tokShiftRight},
	{"<", tokLt}, {">", tokGt}, {"=", tokEq}, {"+", tokPlus}, {"-", tokMinus}, {"*", tokStar},
	{"/", tokSlash}, {"%", tokPercent}, {"&", tokAmpersand}, {"|", tokPipe}, {"#", tokHash},
	{"~", tokTilde}, {"(", tokOpen}, {")", tokClose}, {",", tokComma},
}

// lexeme is a token with its text (a variable's without the colon) and its
// value if it is a number.
type lexeme struct {
	tok   token
	text  string
	value Value
}

// lexError is a piece of text that is no token.
type lexError struct{ msg, more string }

// next reads one token of an expression from the command's line. At the end
// of the line it consumes the newline, so that a mistake found there is
// marked after the last character.
func (m *metaLexer) next() (lexeme, *lexError) {
	m.skipBlanks()
	rest := m.src[m.pos:]
	if rest == "" {
		return lexeme{}, nil
	}
	c := rest[0]
	switch {
	case c == '\n':
		m.pos++
		m.ended = true
		return lexeme{}, nil
	case c == ':' && len(rest) > 1 && isNameByte(rest[1]):
		n := nameLen(rest[1:])
		m.pos += 1 + n
		return lexeme{tok: tokVariable, text: rest[1 : 1+n]}, nil
	case isNameStart(c):
		word := rest[:nameLen(rest)]
		m.pos += len(word)
		if tok, ok := keywords[strings.ToLower(word)]; ok {
			return lexeme{tok: tok, text: word}, nil
		}
		return lexeme{tok: tokFunction, text: word}, nil
	}
	if n, double := numberLen(rest); n > 0 {
		m.pos += n
		return number(rest[:n], double)
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s.text) {
			m.pos += len(s.text)
			return lexeme{tok: s.tok, text: s.text}, nil
		}
	}
	m.pos++
	return lexeme{}, &lexError{"unexpected character", rest[:1]}
}

// numberLen returns the length of the number that s starts with, 0 if there
// is none, and whether a fraction or an exponent makes it a double.
func numberLen(s string) (n int, double bool) {
	n = digitsLen(s)
	if n < len(s) && s[n] == '.' {
		if fraction := digitsLen(s[n+1:]); n > 0 || fraction > 0 {
			n += 1 + fraction
			double = true
		}
	}
	if n > 0 && n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if digits := digitsLen(s[e:]); digits > 0 {
			return e + digits, true
		}
	}
	return n, double
}

func digitsLen(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func number(text string, double bool) (lexeme, *lexError) {
	if double {
		f, err := parseDouble(text)
		if err != nil {
			return lexeme{}, &lexError{"double constant overflow", text}
		}
		return lexeme{tok: tokDouble, text: text, value: Double(f)}, nil
	}
	if text == "9223372036854775808" {
		return lexeme{tok: tokMinInt, text: text}, nil
	}
	i, err := parseInt([]byte(text))
	if err != nil {
		return lexeme{}, &lexError{"bigint constant overflow", text}
	}
	return lexeme{tok: tokInt, text: text, value: Int(i)}, nil
}
