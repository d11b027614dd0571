package runner_test

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// backend is what a PostgreSQL server process does for one connection, as far as transactions go: which orders are
// committed, and when it says so. It follows exec_simple_query, exec_execute_message and TBLOCK_* in xact.c:
//
//   - the transaction that a transaction command ends is committed before the command's CommandComplete;
//   - the last statement of a simple Query outside a block is committed before its CommandComplete;
//   - in the extended protocol the implicit transaction is committed at Sync, before ReadyForQuery;
//   - after an error all messages up to the Sync are skipped.
//
// It knows no network: a scripted server feeds it messages, and a test replays them to learn what else may have happened.
type backend struct {
	cut       cut
	messages  []said   // so far, in order
	withheld  []byte   // the message that the cut kept back
	dead      bool     // the cut was reached
	committed int64    // orders that are durable
	pending   int64    // orders of the transaction under way
	status    byte     // as in ReadyForQuery: I, T or E
	marks     []mark   // savepoints
	failures  int      // of fail_once so far
	lucky     int      // no statement fails after so many messages; negative is never
	skipping  bool     // to the next Sync
	path      bool     // the search path was set in this transaction
	strays    []string // statements that ran, or were parsed, without
	portal    string   // the bound statement
	texts     texts    // prepared statements
	twoPhase  ordersOf // transactions that were prepared
}

type (
	texts    map[string]string
	ordersOf map[string]int64
	mark     struct {
		name    string
		pending int64
		path    bool
	}
	// said is a message and what was true when it was sent.
	said struct {
		kind      byte
		tag       string // of a CommandComplete; an error's SQLSTATE; a transaction status
		committed int64
		pending   int64
	}
	// cut is where a connection ends: in place of the message after the given number of them.
	cut struct {
		after int  // messages that are still sent; negative is no cut
		done  bool // what the next message would have confirmed was done
	}
)

var noCut = cut{after: -1}

func newBackend(c cut) *backend {
	return &backend{cut: c, lucky: -1, status: 'I', texts: texts{}, twoPhase: ordersOf{}}
}

// replay is a backend that got the messages and ended at the cut. After the given number of replies nothing fails: whoever saw
// only those can't know better.
func replay(c cut, seen int, sent []pgproto3.FrontendMessage) *backend {
	b := newBackend(c)
	b.lucky = seen
	for _, m := range sent {
		b.handle(m)
	}
	return b
}

// say does something and tells the client, unless the connection ends here. It returns the bytes to send.
func (b *backend) say(m pgproto3.BackendMessage, effect func()) []byte {
	if b.dead {
		return nil
	}
	here := len(b.messages) == b.cut.after
	if here && !b.cut.done {
		b.dead = true
		return nil
	}
	if effect != nil {
		effect()
	}
	bytes, err := m.Encode(nil)
	if err != nil {
		panic(err)
	}
	if here {
		b.dead, b.withheld = true, bytes
		return nil
	}
	s := said{kind: bytes[0], committed: b.committed, pending: b.pending}
	switch m := m.(type) {
	case *pgproto3.CommandComplete:
		s.tag = string(m.CommandTag)
	case *pgproto3.ErrorResponse:
		s.tag = m.Code
	case *pgproto3.ReadyForQuery:
		s.tag = string(m.TxStatus)
	}
	b.messages = append(b.messages, s)
	return bytes
}

// handle takes one message and returns the reply.
func (b *backend) handle(m pgproto3.FrontendMessage) (out []byte) {
	if b.dead {
		return nil
	}
	if _, sync := m.(*pgproto3.Sync); b.skipping && !sync {
		return nil
	}
	switch m := m.(type) {
	case *pgproto3.Query:
		out = b.query(m.String)
		return append(out, b.ready(nil)...)
	case *pgproto3.Parse:
		if code := b.refused(m.Query, true); code != "" {
			return b.fail(code, "", true)
		}
		b.lookUp(m.Query)
		b.texts[m.Name] = m.Query
		return b.say(&pgproto3.ParseComplete{}, nil)
	case *pgproto3.Bind:
		text, ok := b.texts[m.PreparedStatement]
		if !ok {
			return b.fail("26000", "", true)
		}
		for i := len(m.Parameters); i > 0; i-- {
			text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), string(m.Parameters[i-1]))
		}
		b.portal = text
		return b.say(&pgproto3.BindComplete{}, nil)
	case *pgproto3.Describe:
		text := b.portal
		if m.ObjectType == 'S' {
			text = b.texts[m.Name]
			out = b.say(&pgproto3.ParameterDescription{}, nil)
		}
		return append(out, b.say(describe(parseStatement(text)), nil)...)
	case *pgproto3.Execute:
		if code := b.refused(b.portal, false); code != "" {
			return b.fail(code, b.portal, true)
		}
		b.lookUp(b.portal)
		st := parseStatement(b.portal)
		out = b.rows(st)
		return append(out, b.complete(st, st.orders(false), false)...)
	case *pgproto3.Sync:
		b.skipping = false
		return b.ready(b.commitImplicit)
	}
	return nil
}

// query runs the statements of one simple Query, up to the ReadyForQuery.
func (b *backend) query(text string) (out []byte) {
	parts := splitStatements(text)
	if len(parts) == 0 {
		return b.say(&pgproto3.EmptyQueryResponse{}, nil)
	}
	writing := false
	for _, p := range parts {
		writing = writing || parseStatement(p).writes()
	}
	for i, p := range parts {
		b.lookUp(p)
		st := parseStatement(p)
		if code := b.refused(p, false); code != "" {
			if st.returnsRows() && failing.MatchString(p) && b.status != 'E' {
				out = append(out, b.say(describe(st), nil)...) // it fails when it runs
			}
			return append(out, b.fail(code, p, false)...)
		}
		if st.returnsRows() {
			out = append(out, b.say(describe(st), nil)...)
		}
		out = append(out, b.rows(st)...)
		out = append(out, b.complete(st, st.orders(writing), i == len(parts)-1)...)
	}
	return out
}

func (b *backend) rows(st statement) (out []byte) {
	if !st.returnsRows() {
		return nil
	}
	for range st.rows {
		out = append(out, b.say(&pgproto3.DataRow{Values: [][]byte{[]byte(st.value)}}, nil)...)
	}
	return out
}

// complete runs a statement; last is that of a simple Query.
func (b *backend) complete(st statement, orders int64, last bool) []byte {
	effect, tag := b.transaction(st)
	if effect == nil {
		effect = func() {
			b.pending += orders
			if last {
				b.commitImplicit()
			}
		}
		if tag == "" {
			tag = st.tag()
		}
	}
	return b.say(&pgproto3.CommandComplete{CommandTag: []byte(tag)}, effect)
}

// transaction is what a transaction command does; nil for any other statement.
func (b *backend) transaction(st statement) (effect func(), tag string) {
	end := func(status byte, committed int64) func() {
		return func() {
			b.committed, b.pending, b.status, b.marks, b.path = b.committed+committed, 0, status, nil, false
		}
	}
	next := byte('I')
	if st.has("and chain") {
		next = 'T'
	}
	switch {
	case st.setsPath():
		return func() { b.path = true }, st.tag()
	case st.has("begin"):
		return func() { b.status = 'T' }, "BEGIN"
	case st.has("start transaction"):
		return func() { b.status = 'T' }, "START TRANSACTION"
	case st.has("commit prepared"):
		return func() { b.committed += b.twoPhase[st.quoted] }, "COMMIT PREPARED"
	case st.has("rollback prepared"):
		return func() { delete(b.twoPhase, st.quoted) }, "ROLLBACK PREPARED"
	case st.has("rollback to"):
		return func() {
			i := b.savepoint(st.last())
			b.pending, b.status, b.path, b.marks = b.marks[i].pending, 'T', b.marks[i].path, b.marks[:i+1]
		}, "ROLLBACK"
	case st.has("savepoint"):
		return func() { b.marks = append(b.marks, mark{st.last(), b.pending, b.path}) }, "SAVEPOINT"
	case st.has("release"):
		return func() { b.marks = b.marks[:b.savepoint(st.last())] }, "RELEASE"
	case st.has("rollback"), st.has("abort"):
		return end(next, 0), "ROLLBACK"
	case st.has("commit"), st.has("end"), st.has("prepare transaction"):
		switch {
		case b.status == 'E':
			return end(next, 0), "ROLLBACK"
		case st.has("prepare transaction"):
			return func() {
				b.twoPhase[st.quoted] = b.pending
				end('I', 0)()
			}, "PREPARE TRANSACTION"
		}
		return end(next, b.pending), "COMMIT"
	}
	return nil, ""
}

// lookUp notes a statement whose names are looked up without the search path having been set.
func (b *backend) lookUp(text string) {
	st := parseStatement(text)
	if effect, _ := b.transaction(st); effect == nil && !b.path && !b.dead {
		b.strays = append(b.strays, text)
	}
}

// savepoint is the index of the last one of that name.
func (b *backend) savepoint(name string) int {
	i := len(b.marks) - 1
	for b.marks[i].name != name {
		i--
	}
	return i
}

// commitImplicit ends the transaction of statements outside a block.
func (b *backend) commitImplicit() {
	if b.status == 'I' {
		b.committed, b.pending, b.path = b.committed+b.pending, 0, false
	}
}

func (b *backend) ready(effect func()) []byte {
	return b.say(&pgproto3.ReadyForQuery{TxStatus: b.status}, effect)
}

var failing = regexp.MustCompile(`fail(_once)?\((\w{5})\)`)

// refused is the SQLSTATE that a statement fails with, "" for none.
func (b *backend) refused(text string, parsing bool) string {
	st := parseStatement(text)
	if b.status == 'E' && !st.has("rollback") && !st.has("commit") && !st.has("end") && !st.has("abort") {
		return "25P02"
	}
	if strings.Contains(text, "no_such_table") {
		return "42P01"
	}
	m := failing.FindStringSubmatch(text)
	if m == nil || parsing || b.lucky >= 0 && len(b.messages) >= b.lucky {
		return ""
	}
	if m[1] != "" {
		if b.failures++; b.failures > 1 {
			return ""
		}
	}
	return m[2]
}

// fail reports an error in a statement. One in COMMIT ends the block as well.
func (b *backend) fail(code, statement string, extended bool) []byte {
	text := map[string]string{
		"25P02": "current transaction is aborted, commands ignored until end of transaction block",
		"26000": "prepared statement does not exist", "42P01": `relation "no_such_table" does not exist`,
	}[code]
	if text == "" {
		text = "failed with " + code
	}
	st := parseStatement(statement)
	return b.say(&pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: code, Message: text}, func() {
		b.skipping = extended
		switch {
		case b.status == 'I' || st.has("commit") || st.has("end"):
			b.status, b.pending, b.marks, b.path = 'I', 0, nil, false
		default:
			b.status = 'E'
		}
	})
}

// acknowledged is what the client knows for certain to be committed: at least safe, by the CommandComplete of a COMMIT or by
// ReadyForQuery; at most sure, by the rule for a simple Query's last statement too. pending was done and not yet committed.
func (b *backend) acknowledged() (safe, sure, pending int64) {
	for _, m := range b.messages {
		if m.kind == 'Z' || m.kind == 'C' && m.tag == "COMMIT" {
			safe = m.committed
		}
		sure, pending = m.committed, m.pending
	}
	return safe, sure, sure + pending - safe
}
