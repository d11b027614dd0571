package runner

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// errorStatus is what became of the current transaction, in pgbench's classes.
type errorStatus uint8

const (
	noError errorStatus = iota
	serializationError
	deadlockError
	otherSQLError
	metaError // the script itself is at fault; never retried, never continued
)

// SQLSTATEs that a retry may cure.
const (
	stateSerialization = "40001"
	stateDeadlock      = "40P01"
)

func classify(sqlstate []byte) errorStatus {
	switch string(sqlstate) {
	case stateSerialization:
		return serializationError
	case stateDeadlock:
		return deadlockError
	}
	return otherSQLError
}

func (e errorStatus) retriable() bool { return e == serializationError || e == deadlockError }

// word is the outcome in a transaction log.
func (e errorStatus) word(detailed bool) string {
	switch {
	case e == noError:
		return ""
	case !detailed:
		return "failed"
	case e == serializationError:
		return "serialization"
	case e == deadlockError:
		return "deadlock"
	}
	return "other"
}

// serverNotice renders a NoticeResponse as libpq shows it, which is without
// the context.
func serverNotice(body []byte) string {
	text, _, _ := strings.Cut(serverError(body, ""), "\nCONTEXT:  ")
	return text
}

// serverError renders an ErrorResponse as psql and pgbench show it: severity
// and message, the line of the query with a caret where there is a position,
// then detail, hint and context.
func serverError(body []byte, query string) string {
	var b strings.Builder
	severity := errorField(body, 'S')
	b.Write(severity)
	b.WriteString(":  ")
	b.Write(errorField(body, 'M'))
	if pos, err := strconv.Atoi(string(errorField(body, 'P'))); err == nil && query != "" {
		b.WriteString(Caret(query, pos))
	}
	for _, f := range []struct {
		kind  byte
		label string
	}{{'D', "DETAIL:  "}, {'H', "HINT:  "}, {'W', "CONTEXT:  "}} {
		if text := errorField(body, f.kind); text != nil {
			b.WriteString("\n" + f.label)
			b.Write(text)
		}
	}
	return b.String()
}

// Caret shows the line of query that holds its pos-th character (from 1) with
// a mark beneath, each on a line of its own, as psql does; "" where pos is
// outside.
func Caret(query string, pos int) string {
	start, line, rest := 0, 1, pos-1
	for i := 0; i <= len(query); {
		if rest == 0 {
			end := len(query)
			if n := strings.IndexByte(query[i:], '\n'); n >= 0 {
				end = i + n
			}
			label := "LINE " + strconv.Itoa(line) + ": "
			pad := len(label) + utf8.RuneCountInString(query[start:i])
			return "\n" + label + strings.ReplaceAll(query[start:end], "\t", " ") + "\n" + strings.Repeat(" ", pad) + "^"
		}
		r, size := utf8.DecodeRuneInString(query[i:])
		i += size
		rest--
		if r == '\n' {
			line++
			start = i
		}
	}
	return ""
}
