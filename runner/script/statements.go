package script

import "strings"

// Statements splits SQL at the semicolons that separate statements on the
// server, which leaves out those in quotes, comments, parentheses and function
// bodies. Comments before a statement and empty statements are dropped.
func Statements(sql string) []string {
	l := sqlLexer{src: sql, onComment: func(int, int) {}}
	var out []string
	text := ""
	for {
		end := l.next()
		text += string(l.out)
		if end == endBackslash {
			text += `\` // an operator's, as far as the server is concerned
			continue
		}
		if s := withoutComments(strings.TrimSuffix(text, ";")); s != "" {
			out = append(out, s)
		}
		text = ""
		if end == endOfText {
			return out
		}
	}
}

// withoutComments drops blanks and block comments from the start of a
// statement; the lexer has dropped the others.
func withoutComments(s string) string {
	for {
		s = strings.TrimSpace(s)
		l := sqlLexer{src: s}
		if !l.at("/*") {
			return s
		}
		s = s[l.blockCommentLen():]
	}
}

// Words returns the first n words of a statement in lower case, comments left
// out. A quoted identifier is a word as it is written, without its quotes.
func Words(sql string, n int) []string {
	l := sqlLexer{src: sql, onComment: func(int, int) {}}
	var out []string
	for l.pos < len(sql) && len(out) < n {
		l.out = l.out[:0]
		s := sql[l.pos:]
		switch {
		case l.at("--"):
			l.lineComment()
		case l.at("/*"):
			l.pos += l.blockCommentLen()
		case s[0] == '"':
			end := closing(s, 1, '"')
			for strings.HasPrefix(s[end:], `"`) { // a doubled quote
				end = closing(s, end+1, '"')
			}
			out = append(out, strings.ReplaceAll(strings.TrimSuffix(s[1:end], `"`), `""`, `"`))
			l.pos += end
		case isNameStart(s[0]):
			end := identifierLen(s)
			out = append(out, strings.ToLower(s[:end]))
			l.pos += end
		default:
			l.pos++
		}
	}
	return out
}
