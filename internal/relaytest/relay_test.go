package relaytest_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/relaytest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bed is a relay before the tests' server, and a connection string through it.
func bed(t *testing.T, secure bool) (*relaytest.Relay, string) {
	t.Helper()
	config, err := pgconn.ParseConfig(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(config.Host, "/") {
		t.Skip("the tests' server is not on a socket")
	}
	var certs *tls.Config
	mode := "disable"
	if secure {
		mode = "require"
		if certs, err = relaytest.SelfSigned(); err != nil {
			t.Fatal(err)
		}
	}
	dial := func() (net.Conn, error) {
		return net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port))
	}
	r, err := relaytest.Listen("tcp", "127.0.0.1:0", dial, certs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	port := r.Addr().(*net.TCPAddr).Port
	return r, fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=%s", port, config.User, config.Database, mode)
}

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func modes(t *testing.T, test func(t *testing.T, secure bool)) {
	t.Parallel()
	for name, secure := range map[string]bool{"plain": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, secure)
		})
	}
}

// What passes is what the server says, and the relay knows whose backend it is.
func TestPasses(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		r, dsn := bed(t, secure)
		conn := connect(t, dsn)
		var n, length int
		if err := conn.QueryRow(t.Context(), "select $1::int + 1, length($2)", 41, strings.Repeat("x", 200_000)).Scan(&n, &length); err != nil {
			t.Fatal(err)
		}
		if n != 42 || length != 200_000 {
			t.Errorf("got %d, %d", n, length)
		}
		if list := r.Sessions(); len(list) != 1 || list[0].PID() != int(conn.PgConn().PID()) {
			t.Errorf("sessions %v, want one of backend %d", list, conn.PgConn().PID())
		}
		_ = conn.Close(t.Context())
		wait(t, "the session to end", func() bool { return len(r.Sessions()) == 0 })
	})
}

// The steps of a COMMIT in the simple and the extended protocol, in a block and
// outside of one.
func TestSteps(t *testing.T) {
	t.Parallel()
	r, dsn := bed(t, false)
	list := make(chan string, 100)
	r.SetTap(func(m *relaytest.Message) relaytest.Verdict {
		if m.Step != relaytest.NoStep {
			list <- fmt.Sprintf("%c %v", m.Type, m.Step)
		}
		return relaytest.Verdict{}
	})
	conn := connect(t, dsn)
	request, tag, ready := "COMMIT's request", "C COMMIT's CommandComplete", "Z ReadyForQuery after COMMIT"
	for _, c := range []struct {
		send func(context.Context, *pgx.Conn, string) error
		sql  string
		want []string
	}{
		{simple, "begin", nil},
		{simple, "select 1", nil},
		{simple, "-- the end\ncommit;", []string{"Q " + request, tag, ready}},
		{simple, "select 1", []string{"Q " + request, tag, ready}},
		{simple, "begin; select 1; commit", []string{"Q " + request, tag, ready}},
		{extended, "begin", nil},
		{extended, "select 1", nil},
		{extended, "/* now */ END", []string{"E Execute of COMMIT", "S " + request, tag, ready}},
		{extended, "select 1", []string{"S " + request, tag, ready}},
		{extended, "rollback", nil},
	} {
		if err := c.send(t.Context(), conn, c.sql); err != nil {
			t.Fatal(err)
		}
		var steps []string
		for len(list) > 0 {
			steps = append(steps, <-list)
		}
		if strings.Join(steps, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: steps %q, want %q", c.sql, steps, c.want)
		}
	}
}

func simple(ctx context.Context, conn *pgx.Conn, sql string) error {
	_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

func extended(ctx context.Context, conn *pgx.Conn, sql string) error {
	return conn.PgConn().ExecParams(ctx, sql, nil, nil, nil, nil).Read().Err
}

// A cut at a message leaves what had passed, and the connection is over.
func TestCutAtMessage(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		for _, effect := range []relaytest.Effect{relaytest.Reset, relaytest.Finish} {
			r, dsn := bed(t, secure)
			conn := connect(t, dsn)
			r.SetTap(func(m *relaytest.Message) relaytest.Verdict {
				if m.Step == relaytest.CommitTag {
					return relaytest.Verdict{Forward: len(m.Bytes), Effect: effect}
				}
				return relaytest.Verdict{}
			})
			results := conn.PgConn().Exec(t.Context(), "select 1")
			if !results.NextResult() {
				t.Fatalf("%v: the result did not pass: %v", effect, results.Close())
			}
			tag, err := results.ResultReader().Close()
			if err == nil && tag.String() != "SELECT 1" {
				t.Errorf("%v: tag %q", effect, tag)
			}
			if err := results.Close(); err == nil {
				t.Errorf("%v: the connection was not cut", effect)
			}
		}
	})
}

// A cut at a byte happens at that byte, in either direction.
func TestCutAtByte(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		for _, dir := range []relaytest.Direction{relaytest.ToServer, relaytest.ToClient} {
			for _, n := range []int{0, 1, 5, 100} {
				r, dsn := bed(t, secure)
				conn := connect(t, dsn)
				fired := make(chan struct{})
				r.Sessions()[0].CutAfter(dir, n, relaytest.Finish, func() { close(fired) })
				var err error
				for range 100 {
					if err = simple(t.Context(), conn, "select 'so many bytes'"); err != nil {
						break
					}
				}
				if err == nil {
					t.Errorf("%v, %d bytes: not cut", dir, n)
				}
				select {
				case <-fired:
				case <-time.After(time.Minute):
					t.Errorf("%v, %d bytes: the cut was not told", dir, n)
				}
			}
		}
	})
}

// Each half of a half-closed connection still works on its own.
func TestHalfClose(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		for _, effect := range []relaytest.Effect{relaytest.HalfCloseClient, relaytest.HalfCloseServer} {
			r, dsn := bed(t, secure)
			conn := connect(t, dsn)
			r.Sessions()[0].Break(effect)
			if err := simple(t.Context(), conn, "select 1"); err == nil {
				t.Errorf("%v: an answer came", effect)
			}
		}
	})
}

// In a black hole neither side learns of anything, the end of the other least.
func TestBlackHole(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		r, dsn := bed(t, secure)
		conn, other := connect(t, dsn), connect(t, dsn)
		pid := int64(conn.PgConn().PID())
		r.Sessions()[0].Break(relaytest.BlackHole)
		done := make(chan error, 1)
		go func() { done <- simple(t.Context(), conn, "select 1") }()
		if err := simple(t.Context(), other, "select pg_sleep(0.05)"); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			t.Errorf("got %v, want silence", err)
		default:
		}
		_ = conn.PgConn().Conn().Close()
		if err := <-done; err == nil {
			t.Error("an answer came")
		}
		wait(t, "the client's end", func() bool { return len(r.Sessions()) == 1 })
		var alive bool
		if err := other.QueryRow(t.Context(), "select count(*) = 1 from pg_stat_activity where pid = $1", pid).Scan(&alive); err != nil || !alive {
			t.Errorf("the backend was told: %v", err)
		}
	})
}

// A stall holds what is sent, and connections, and then lets all of it pass.
func TestStall(t *testing.T) {
	modes(t, func(t *testing.T, secure bool) {
		r, dsn := bed(t, secure)
		conn := connect(t, dsn)
		release := r.Stall()
		done := make(chan error)
		go func() { done <- simple(t.Context(), conn, "select 1") }()
		wait(t, "something to hold", func() bool { return r.Held() > 0 })
		select {
		case err := <-done:
			t.Errorf("an answer came: %v", err)
		default:
		}
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestErrorsAreCounted(t *testing.T) {
	t.Parallel()
	r, dsn := bed(t, false)
	conn := connect(t, dsn)
	if err := simple(t.Context(), conn, "select 1/0"); err == nil || r.Errors("22012") != 1 || r.Errors("57014") != 0 {
		t.Errorf("%v; counted %d", err, r.Errors("22012"))
	}
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}
