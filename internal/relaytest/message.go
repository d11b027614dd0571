package relaytest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
)

// Direction is where a message goes.
type Direction uint8

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

func (d Direction) String() string { return [...]string{"to the server", "to the client"}[d] }

// Step is a message's place in the exchange that commits a transaction.
type Step uint8

// The steps of a COMMIT, or of a statement that is a transaction of its own.
const (
	NoStep        Step = iota
	CommitExecute      // Execute of COMMIT, with its Sync still to come
	CommitRequest      // the Query or the Sync that asks the server to commit
	CommitTag          // CommandComplete of COMMIT, or of a statement of its own
	CommitReady        // the ReadyForQuery that ends the exchange
)

func (s Step) String() string {
	return [...]string{"", "Execute of COMMIT", "COMMIT's request", "COMMIT's CommandComplete", "ReadyForQuery after COMMIT"}[s]
}

// Message is one protocol message after the startup.
type Message struct {
	Session *Session
	Dir     Direction
	Type    byte
	Bytes   []byte // with type and length
	SQL     string // of Query, and of the portal of Execute
	Step    Step
}

// messageSize is the length of the first message, 0 if it is not whole yet.
func messageSize(b []byte) int {
	if len(b) < 5 {
		return 0
	}
	size := 1 + int(binary.BigEndian.Uint32(b[1:]))
	if size > len(b) {
		return 0
	}
	return max(size, 5)
}

// tracker follows a session's statements, to know which of them commit.
type tracker struct {
	mu         sync.Mutex
	statements map[string]string // prepared statement → SQL
	portals    map[string]string // portal → SQL
	open       bool              // a transaction block, as the client's statements have it
	current    request
	executed   bool // current holds a statement
	requests   []request
}

// request is what one ReadyForQuery answers.
type request struct {
	commits  bool // a COMMIT, or statements outside of a block
	explicit bool // a COMMIT
}

func (t *tracker) see(s *Session, dir Direction, b []byte) *Message {
	m := &Message{Session: s, Dir: dir, Type: b[0], Bytes: b}
	t.mu.Lock()
	defer t.mu.Unlock()
	if dir == ToServer {
		t.toServer(m, b[5:])
	} else {
		t.toClient(m, b[5:])
	}
	return m
}

func (t *tracker) toServer(m *Message, body []byte) {
	switch m.Type {
	case 'Q':
		m.SQL, _ = cString(body)
		// Good enough for scripts, which have no semicolons in quotes.
		for one := range strings.SplitSeq(m.SQL, ";") {
			if keyword(one) != "" {
				t.statement(one)
			}
		}
		t.end(m)
	case 'P':
		name, rest := cString(body)
		sql, _ := cString(rest)
		if t.statements == nil {
			t.statements, t.portals = map[string]string{}, map[string]string{}
		}
		t.statements[name] = sql
	case 'B':
		portal, rest := cString(body)
		name, _ := cString(rest)
		if t.portals != nil {
			t.portals[portal] = t.statements[name]
		}
	case 'E':
		portal, _ := cString(body)
		m.SQL = t.portals[portal]
		if t.statement(m.SQL) {
			m.Step = CommitExecute
		}
	case 'S':
		t.end(m)
	}
}

// statement notes a statement of the current request, and tells whether it is a
// COMMIT.
func (t *tracker) statement(sql string) bool {
	t.executed = true
	switch keyword(sql) {
	case "begin", "start":
		t.open = true
	case "commit", "end":
		t.open = false
		t.current.commits, t.current.explicit = true, true
		return true
	case "rollback", "abort":
		t.open = false
	default:
		t.current.commits = t.current.commits || !t.open
	}
	return false
}

// end closes the current request.
func (t *tracker) end(m *Message) {
	// What was outside of a block may have got into one by a BEGIN behind it.
	if t.open {
		t.current.commits = false
	}
	if t.executed && t.current.commits {
		m.Step = CommitRequest
	}
	t.requests = append(t.requests, t.current)
	t.current, t.executed = request{}, false
}

func (t *tracker) toClient(m *Message, body []byte) {
	switch m.Type {
	case 'K':
		if len(body) >= 4 {
			m.Session.pid.Store(int32(binary.BigEndian.Uint32(body)))
		}
	case 'E':
		m.Session.relay.noteError(errorCode(body))
	case 'C':
		if len(t.requests) == 0 {
			return
		}
		tag, _ := cString(body)
		if r := t.requests[0]; r.commits && (tag == "COMMIT" || !r.explicit) {
			m.Step = CommitTag
		}
	case 'Z':
		if len(t.requests) > 0 {
			if t.requests[0].commits {
				m.Step = CommitReady
			}
			t.requests = t.requests[1:]
		}
		if len(t.requests) == 0 && !t.executed && len(body) > 0 {
			t.open = body[0] != 'I'
		}
	}
}

func cString(b []byte) (string, []byte) {
	text, rest, _ := bytes.Cut(b, []byte{0})
	return string(text), rest
}

// errorCode is the SQLSTATE of an ErrorResponse.
func errorCode(body []byte) string {
	for len(body) > 0 && body[0] != 0 {
		text, rest := cString(body[1:])
		if body[0] == 'C' {
			return text
		}
		body = rest
	}
	return ""
}

// keyword is a statement's first word in lower case, behind comments.
func keyword(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n")
		end := ""
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		default:
			n := strings.IndexFunc(sql, func(c rune) bool { return c < 'A' || c > 'z' })
			if n < 0 {
				n = len(sql)
			}
			return strings.ToLower(sql[:n])
		}
		_, sql, _ = strings.Cut(sql, end)
	}
}
