package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Fields of an ErrorResponse and a NoticeResponse.
const (
	FieldSeverity = 'V' // never translated
	FieldShown    = 'S' // the severity in the server's language
	FieldSQLState = 'C'
	FieldMessage  = 'M'
	FieldDetail   = 'D'
	FieldHint     = 'H'
	FieldPosition = 'P' // in the query, in characters from 1
	FieldContext  = 'W'
)

// ErrorField is the text of one field of an ErrorResponse or a NoticeResponse;
// nil where it is missing.
func ErrorField(body []byte, field byte) []byte {
	for len(body) > 1 && body[0] != 0 {
		end := 1
		for end < len(body) && body[end] != 0 {
			end++
		}
		if body[0] == field {
			return body[1:end]
		}
		if end+1 > len(body) {
			return nil
		}
		body = body[end+1:]
	}
	return nil
}

// Fatal says whether an ErrorResponse ends the session. Such a one says nothing
// of the transaction.
func Fatal(body []byte) bool {
	switch string(ErrorField(body, FieldSeverity)) {
	case "FATAL", "PANIC":
		return true
	}
	return false
}

// NoticeText renders a NoticeResponse as libpq shows it, which is without the
// context.
func NoticeText(body []byte) string {
	m := readMessage(body)
	m.Context = ""
	return m.Text("")
}

// ErrorText renders an ErrorResponse as psql and pgbench show it; see
// [ServerMessage.Text].
func ErrorText(body []byte, query string) string { return readMessage(body).Text(query) }

func readMessage(body []byte) ServerMessage {
	field := func(f byte) string { return string(ErrorField(body, f)) }
	position, _ := strconv.Atoi(field(FieldPosition)) // the server writes a number, or no such field
	return ServerMessage{
		Severity: field(FieldShown), Message: field(FieldMessage), Position: position,
		Detail: field(FieldDetail), Hint: field(FieldHint), Context: field(FieldContext),
	}
}

// ServerMessage is what an ErrorResponse or a NoticeResponse says to people.
type ServerMessage struct {
	Severity, Message, Detail, Hint, Context string
	Position                                 int // in the query, in characters from 1; 0 is none
}

// Text renders the message as psql and pgbench show it: severity and message, the
// line of the query with a caret where there is a position, then detail, hint and
// context. query may be "" where it is not known.
func (m ServerMessage) Text(query string) string {
	text := m.Severity + ":  " + m.Message
	if m.Position > 0 && query != "" {
		text += Caret(query, m.Position)
	}
	for _, part := range [][2]string{{"DETAIL", m.Detail}, {"HINT", m.Hint}, {"CONTEXT", m.Context}} {
		if part[1] != "" {
			text += "\n" + part[0] + ":  " + part[1]
		}
	}
	return text
}

// Caret shows the line of query that holds its pos-th character (from 1) with
// a mark beneath, each on a line of its own, as psql does; "" where pos is
// outside.
func Caret(query string, pos int) string {
	start, line, rest := 0, 1, pos-1
	for i := 0; rest >= 0; {
		if rest == 0 {
			end := len(query)
			if n := strings.IndexByte(query[i:], '\n'); n >= 0 {
				end = i + n
			}
			label := "LINE " + strconv.Itoa(line) + ": "
			pad := len(label) + utf8.RuneCountInString(query[start:i])
			return "\n" + label + strings.ReplaceAll(query[start:end], "\t", " ") + "\n" + strings.Repeat(" ", pad) + "^"
		}
		if i == len(query) {
			break
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
