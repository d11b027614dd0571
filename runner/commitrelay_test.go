package runner_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/runner"
)

// messageRelay passes whole messages between one client and a real server, and ends the client's connection at a boundary.
type messageRelay struct {
	listener *net.TCPListener
	network  string
	address  string

	after  int // replies that are still passed on; negative is all
	before int // requests that are passed on: up to the Sync or Query before this one; negative is all

	mu       sync.Mutex
	pings    int // of pgconn's SyncConn, whose replies don't count
	messages []said
	serving  sync.WaitGroup
}

func startMessageRelay(tb testing.TB, config *pgconn.Config, after, before int) *messageRelay {
	tb.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		tb.Fatal(err)
	}
	r := &messageRelay{listener: l, network: "tcp", address: net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))), after: after, before: before}
	if config.Host[0] == '/' {
		r.network, r.address = "unix", config.Host+"/.s.PGSQL."+strconv.Itoa(int(config.Port))
	}
	tb.Cleanup(func() { l.Close() })
	r.serving.Add(1)
	go r.serve()
	return r
}

// closer is a connection that can be closed in one direction.
type closer interface {
	net.Conn
	CloseWrite() error
}

func (r *messageRelay) serve() {
	defer r.serving.Done()
	down, err := r.listener.AcceptTCP()
	if err != nil {
		return
	}
	defer down.Close()
	conn, err := net.Dial(r.network, r.address)
	if err != nil {
		return
	}
	up := conn.(closer)
	defer up.Close()
	cutOff := func() { down.CloseWrite() }
	both := sync.WaitGroup{}
	both.Add(2)
	go func() {
		defer both.Done()
		r.requests(bufio.NewReader(down), up, cutOff)
		up.CloseWrite() // the server does what it got, and leaves
	}()
	go func() {
		defer both.Done()
		r.replies(bufio.NewReader(up), down, cutOff)
		down.CloseWrite()
	}()
	both.Wait()
}

// readMessage reads a message with its type; one without a type is a start-up packet.
func readMessage(from *bufio.Reader, typed bool) (m []byte, err error) {
	head := 4
	if typed {
		head = 5
	}
	m = make([]byte, head)
	if _, err := io.ReadFull(from, m); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(m[head-4:])-4)
	_, err = io.ReadFull(from, body)
	return append(m, body...), err
}

func (r *messageRelay) requests(from *bufio.Reader, up io.Writer, cutOff func()) {
	startup, err := readMessage(from, false)
	if err != nil {
		return
	}
	up.Write(startup)
	var flight []byte // passed on as a whole
	for flights := 0; ; {
		m, err := readMessage(from, true)
		if err != nil {
			return
		}
		switch {
		case m[0] == 'Q' && string(m[5:]) == "-- ping\x00":
			r.mu.Lock()
			r.pings++
			r.mu.Unlock()
			up.Write(m)
			continue
		case m[0] == 'Q', m[0] == 'S':
			if flights++; flights == r.before {
				cutOff()
				io.Copy(io.Discard, from)
				return
			}
		}
		if flight = append(flight, m...); m[0] == 'Q' || m[0] == 'S' || m[0] == 'X' {
			up.Write(flight)
			flight = flight[:0]
		}
	}
}

func (r *messageRelay) replies(from *bufio.Reader, down io.Writer, cutOff func()) {
	loaded, passing := false, true
	for {
		m, err := readMessage(from, true)
		if err != nil {
			return
		}
		r.mu.Lock()
		ping := r.pings > 0
		if ping && m[0] == 'Z' {
			r.pings--
		}
		r.mu.Unlock()
		counts := loaded && !ping && !strings.ContainsRune("NSA", rune(m[0]))
		if counts && len(r.messages) == r.after && passing {
			passing = false
			cutOff()
		}
		if passing {
			down.Write(m)
		}
		if counts {
			r.messages = append(r.messages, said{kind: m[0], tag: meaning(m)})
		}
		loaded = loaded || m[0] == 'Z'
	}
}

// meaning is the part of a message that received shows.
func meaning(m []byte) string {
	switch m[0] {
	case 'C':
		return strings.TrimRight(string(m[5:]), "\x00")
	case 'Z':
		return string(m[5:])
	case 'E':
		for field := range strings.SplitSeq(string(m[5:]), "\x00") {
			if code, ok := strings.CutPrefix(field, "C"); ok {
				return code
			}
		}
	}
	return ""
}

// realSource says in SQL what a scripted server understands by a source; ok is false where it can't be said.
func realSource(source string) (sql string, ok bool) {
	return strings.NewReplacer("into u limit", "into u select n from g limit", "update t limit", "insert into u select n from g limit",
		"(delete limit 3) insert into u select :vid", "(select n from g limit 3) insert into u select n from d where :vid > 0",
	).Replace(source), !strings.Contains(source, "take(") && !strings.Contains(source, "/* fail")
}

// realBed has what the sources need.
func realBed(t *testing.T) *bed {
	b := newBed(t, 0)
	b.exec(`create table g as select generate_series(1, 40) n;
		create sequence times;
		create function fail(code int) returns int language plpgsql as $$ begin raise exception using errcode = code::text; end $$;
		create function fail_once(code int) returns int language plpgsql as $$ begin if nextval('times') = 1 then return fail(code); end if; return 1; end $$;
		create function done(orders int) returns int language sql as $$ insert into u select n from g limit orders; select orders $$`)
	return b
}

// relayed runs a load through a relay and returns what was committed once the server's process is gone.
func (b *bed) relayed(cfg runner.Config, after, before int) (res *runner.Load, r *messageRelay, truth int64) {
	b.tb.Helper()
	b.exec("truncate u; select setval('times', 1, false)")
	config := b.config.Copy()
	r = startMessageRelay(b.tb, config, after, before)
	config.Host, config.Port = "127.0.0.1", uint16(r.listener.Addr().(*net.TCPAddr).Port)
	config.TLSConfig, config.Fallbacks = nil, nil
	config.RuntimeParams["application_name"] = "relayed " + config.RuntimeParams["search_path"]
	kill := make(chan struct{})
	timer := time.AfterFunc(hang, func() { close(kill) })
	defer timer.Stop()
	cfg.Kill = kill
	res, err := runner.Run(context.Background(), cfg, func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, config) }, nil)
	if err != nil {
		b.tb.Fatal(err)
	}
	r.serving.Wait()
	for b.one("select count(*) from pg_stat_activity where application_name = 'relayed ' || current_schema()") > 0 {
		time.Sleep(time.Millisecond)
	}
	return res, r, b.one("select count(*) from u")
}

// TestScriptedServerAnswersAsPostgreSQL holds that the scripted server's replies are PostgreSQL's, message by message, and that it
// commits the same orders: else what is decided with it means nothing.
func TestScriptedServerAnswersAsPostgreSQL(t *testing.T) {
	t.Parallel()
	b := realBed(t)
	for _, sc := range boundaryScripts {
		source, ok := realSource(sc.source)
		if !ok {
			continue
		}
		for _, mode := range runner.Modes {
			if sc.modes != nil && !slices.Contains(sc.modes, mode) {
				continue
			}
			cfg := scriptedConfig(t, mode, source)
			res, r, truth := b.relayed(cfg, -1, -1)
			_, sessions := runScripted(t, startScripted(t), cfg)
			if got, want := received(sessions[0].messages), received(r.messages); got != want {
				t.Errorf("%s, %s: the scripted server answers\n%s\nPostgreSQL answers\n%s", sc.name, mode, got, want)
			}
			if sessions[0].committed != truth || res.Consumers.Acknowledged != truth {
				t.Errorf("%s, %s: PostgreSQL committed %d, the scripted server %d; %d acknowledged", sc.name, mode, truth, sessions[0].committed, res.Consumers.Acknowledged)
			}
		}
	}
}

// TestCutsOfARealCommit ends the client's connection at each message boundary of transactions on a real server, after the
// server did what was asked and before it got it.
func TestCutsOfARealCommit(t *testing.T) {
	t.Parallel()
	names := []string{"block", "autocommit", "autocommit function", "rollback to savepoint", "commit and chain", "one message", "one message without a block",
		"one message, two blocks", "pipeline", "pipeline without a block", "pipeline with an error after COMMIT"}
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := realBed(t)
			for _, sc := range boundaryScripts {
				if !slices.Contains(names, sc.name) || sc.modes != nil && !slices.Contains(sc.modes, mode) {
					continue
				}
				source, _ := realSource(sc.source)
				cfg := scriptedConfig(t, mode, source)
				cfg.Transactions = 1
				check := func(what string, res *runner.Load, truth int64, r *messageRelay) {
					t.Helper()
					if unknown := res.Consumers.InDoubtUnknown; res.Consumers.Acknowledged > truth || !unknown && res.Consumers.Acknowledged+res.Consumers.InDoubt < truth || res.AbortedClients != 1 {
						t.Errorf("%s, %s: %d committed, but %d acknowledged, %d in doubt (unknown %v), %d aborted\nanswered%s\n%q",
							sc.name, what, truth, res.Consumers.Acknowledged, res.Consumers.InDoubt, unknown, res.AbortedClients, received(r.messages), res.Errors)
					}
				}
				_, r, _ := b.relayed(cfg, -1, -1)
				flights := strings.Count(received(r.messages), " Z(")
				for after := range r.messages {
					if skipBoundary(after) {
						continue
					}
					res, r, truth := b.relayed(cfg, after, -1)
					check(fmt.Sprintf("after %d replies", after), res, truth, r)
				}
				for before := range flights {
					res, r, truth := b.relayed(cfg, -1, before+1)
					check(fmt.Sprintf("before flight %d", before+1), res, truth, r)
				}
			}
		})
	}
}
