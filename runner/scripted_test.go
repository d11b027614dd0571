package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"qbench/runner"
	"qbench/runner/script"
)

// ending is how a connection ends at its cut.
type ending uint8

const (
	closed ending = iota // after whole messages, by a half-close: the server still sees what the client sends
	torn                 // in the middle of a message
	fatal                // after a FATAL ErrorResponse
	reset                // by an RST; what the client sends afterwards is not seen
)

func (e ending) String() string { return [...]string{"closed", "torn", "fatal", "reset"}[e] }

// fault is the end of a connection.
type fault struct {
	cut
	ending
	// eager ends the connection as soon as the last message before the cut is sent; otherwise it ends when the next one is due.
	eager bool
	// readies, where positive, ends it after so many ReadyForQuery instead of the cut.
	readies int
	// unbounded runs don't say how many orders a statement does at most.
	unbounded bool
	// loose lets a test report orders in doubt where there can be none.
	loose bool
}

func (f fault) String() string {
	s := fmt.Sprintf("after %d %v", f.after, f.ending)
	if f.done {
		s += " done"
	}
	if f.eager {
		s += " at once"
	}
	return s
}

var noFault = fault{cut: noCut}

// scripted is a PostgreSQL server for tests: it answers the few statements that a backend knows and ends connections where
// its faults say. Each connection has a backend of its own.
type scripted struct {
	tb       testing.TB
	listener net.Listener
	fault    func(n int) fault // of the nth connection; nil is none
	bytewise bool              // one byte per write
	chatty   bool              // asynchronous messages after every message

	mu       sync.Mutex
	sessions []*session
	serving  sync.WaitGroup
}

// session is one connection and its trace.
type session struct {
	*scripted
	*backend
	plan     fault
	replies  int // up to a ReadyForQuery
	conn     *net.TCPConn
	sent     []pgproto3.FrontendMessage // by the client, Terminate excepted, after the cut too
	trace    []string                   // what the client sent, one line per message
	exchange strings.Builder            // the same with the replies
}

func startScripted(tb testing.TB) *scripted {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	s := &scripted{tb: tb, listener: l}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.serving.Add(1)
			go s.serve(c.(*net.TCPConn))
		}
	}()
	return s
}

func (s *scripted) port() int { return s.listener.Addr().(*net.TCPAddr).Port }

func (s *scripted) connect(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%d user=u database=d sslmode=disable", s.port()))
	if err != nil {
		return nil, err
	}
	if !s.bytewise { // the goroutines that carry other connections get their share of the tests
		runner.PrepareConfig(config)
	}
	return pgconn.ConnectConfig(ctx, config)
}

// serve speaks with one client until it leaves.
func (s *scripted) serve(c *net.TCPConn) {
	defer s.serving.Done()
	defer c.Close()
	be := pgproto3.NewBackend(c, c)
	if !greet(be, c) {
		return
	}
	x := &session{scripted: s, conn: c, plan: noFault}
	s.mu.Lock()
	if s.fault != nil {
		x.plan = s.fault(len(s.sessions))
	}
	s.sessions = append(s.sessions, x)
	s.mu.Unlock()
	x.backend = newBackend(x.plan.cut)
	for {
		m, err := be.Receive()
		if err != nil {
			return
		}
		if _, leaving := m.(*pgproto3.Terminate); leaving {
			continue
		}
		if q, ok := m.(*pgproto3.Query); ok && q.String == "-- ping" {
			// How pgconn's SyncConn stops its background reader; no message of the load.
			c.Write(encode(&pgproto3.EmptyQueryResponse{}, &pgproto3.ReadyForQuery{TxStatus: 'I'}))
			continue
		}
		m = keep(m)
		x.sent = append(x.sent, m)
		if !x.answer(m) {
			return
		}
	}
}

// greet lets a client in.
func greet(be *pgproto3.Backend, c net.Conn) bool {
	for {
		m, err := be.ReceiveStartupMessage()
		if err != nil {
			return false
		}
		if _, ok := m.(*pgproto3.StartupMessage); ok {
			break
		}
		if _, ok := m.(*pgproto3.CancelRequest); ok {
			return false
		}
		if _, err := c.Write([]byte{'N'}); err != nil { // neither TLS nor GSSAPI
			return false
		}
	}
	be.Send(&pgproto3.AuthenticationOk{})
	be.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: "15.18"})
	be.Send(&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"})
	be.Send(&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"})
	be.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	return be.Flush() == nil
}

// answer replies to one message; false when nothing more can come from this client.
func (x *session) answer(m pgproto3.FrontendMessage) bool {
	x.traceMessage(m)
	if x.dead {
		return true // only to see what else the client sends
	}
	said := len(x.messages)
	x.write(x.backend.handle(m))
	if len(x.messages) > said {
		fmt.Fprintf(&x.exchange, "   %s\n", received(x.messages[said:]))
	}
	switch m.(type) {
	case *pgproto3.Query, *pgproto3.Sync:
		x.replies++
	}
	if x.plan.eager && (len(x.messages) == x.plan.after || x.plan.readies > 0 && x.replies == x.plan.readies) {
		x.dead = true
	}
	if x.dead {
		return x.end()
	}
	return true
}

// write sends what a backend said, message by message with others in between where the server is chatty.
func (x *session) write(out []byte) {
	if x.chatty {
		var with []byte
		asynchronous := encode(&pgproto3.ParameterStatus{Name: "application_name", Value: "x"},
			&pgproto3.NoticeResponse{Severity: "NOTICE", Message: "here I am"}, &pgproto3.NotificationResponse{PID: 7, Channel: "c"})
		for len(out) > 0 {
			n := 1 + int(out[1])<<24 + int(out[2])<<16 + int(out[3])<<8 + int(out[4])
			with = append(append(append(with, asynchronous...), out[:n]...), asynchronous...)
			out = out[n:]
		}
		out = with
	}
	step := len(out)
	if x.bytewise {
		step = 1
	}
	for len(out) > 0 {
		if _, err := x.conn.Write(out[:min(step, len(out))]); err != nil {
			return // the client is gone, which the next Receive tells
		}
		out = out[min(step, len(out)):]
	}
}

func (x *session) end() bool {
	switch x.plan.ending {
	case torn:
		x.conn.Write(x.withheld[:len(x.withheld)/2])
	case fatal:
		x.conn.Write(encode(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command"}))
	case reset:
		x.conn.SetLinger(0)
		return false
	}
	x.conn.CloseWrite()
	return true
}

// wait returns the sessions once all clients have left.
func (s *scripted) wait() []*session {
	s.serving.Wait()
	return s.sessions
}

func encode(messages ...pgproto3.BackendMessage) (out []byte) {
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			panic(err)
		}
	}
	return out
}

// keep copies a message out of the decoder's buffers.
func keep(m pgproto3.FrontendMessage) pgproto3.FrontendMessage {
	switch m := m.(type) {
	case *pgproto3.Query:
		c := *m
		return &c
	case *pgproto3.Parse:
		c := *m
		return &c
	case *pgproto3.Bind:
		c := *m
		c.Parameters = nil
		for _, p := range m.Parameters {
			c.Parameters = append(c.Parameters, bytes.Clone(p))
		}
		return &c
	case *pgproto3.Describe:
		c := *m
		return &c
	case *pgproto3.Execute:
		c := *m
		return &c
	}
	return &pgproto3.Sync{}
}

// traceMessage writes down what the client sent.
func (x *session) traceMessage(m pgproto3.FrontendMessage) {
	line := ""
	switch m := m.(type) {
	case *pgproto3.Query:
		line = fmt.Sprintf("Query %q", m.String)
	case *pgproto3.Parse:
		line = fmt.Sprintf("Parse %q %q", m.Name, m.Query)
	case *pgproto3.Bind:
		line = fmt.Sprintf("Bind %q", m.PreparedStatement)
		for _, p := range m.Parameters {
			if p == nil {
				line += " NULL"
			} else {
				line += fmt.Sprintf(" %q", p)
			}
		}
	case *pgproto3.Describe:
		line = fmt.Sprintf("Describe %c %q", m.ObjectType, m.Name)
	case *pgproto3.Execute:
		line = "Execute"
	case *pgproto3.Sync:
		line = "Sync"
	}
	x.trace = append(x.trace, line)
	x.exchange.WriteString(line + "\n")
}

// scriptedConfig compiles a source for one client. Statements that write or call take() count their rows, those that call
// done() the value; the most that they do is what they say.
func scriptedConfig(tb testing.TB, mode runner.Mode, source string) runner.Config {
	tb.Helper()
	syms := script.NewSymbols()
	s, err := script.Parse("test.sql", source, syms)
	if err != nil {
		tb.Fatal(err)
	}
	rs := runner.Script{Script: s, Weight: 1, Orders: make([]script.OrderCount, len(s.Commands)), Most: make([]script.RowLimit, len(s.Commands))}
	for i, c := range s.Commands {
		if c.Kind != script.SQL {
			continue
		}
		var text strings.Builder
		for _, p := range c.Pieces {
			text.WriteString(p.Literal)
		}
		parts := splitStatements(text.String())
		writing := slices.ContainsFunc(parts, func(p string) bool { return parseStatement(p).writes() })
		for _, p := range parts {
			st := parseStatement(p)
			rs.Most[i].N += st.orders(writing)
			switch {
			case st.writes(), strings.Contains(st.words, "take("):
				rs.Orders[i] = script.CountRows
			case strings.Contains(st.words, "done("):
				rs.Orders[i] = script.CountValue
			}
		}
	}
	return runner.Config{
		Consumers: runner.Group{Clients: 1, Scripts: []runner.Script{rs}},
		Threads:   1, Mode: mode, MaxTries: 3, Seed: 7, Symbols: syms, Transactions: 2,
	}
}

// hang is how long a run that should end in milliseconds may take before it is taken for hung.
const hang = 2 * time.Minute

// errHung is the cause of death of a run that did not end by itself.
var errHung = errors.New("the run hung")

// runScripted runs a load against the server and returns its result with the sessions.
func runScripted(tb testing.TB, s *scripted, cfg runner.Config) (*runner.Load, []*session) {
	tb.Helper()
	kill := make(chan struct{})
	timer := time.AfterFunc(hang, func() { close(kill) })
	defer timer.Stop()
	cfg.Kill = kill
	res, err := runner.Run(context.Background(), cfg, s.connect, nil)
	if err != nil {
		tb.Fatal(err)
	}
	select {
	case <-kill:
		tb.Fatal(errHung)
	default:
	}
	s.listener.Close()
	return res, s.wait()
}
