package runner_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"qbench/runner"
)

// prepare makes the bed's connections the event loop's own.
func (b *bed) prepare() {
	b.config = b.config.Copy()
	runner.PrepareConfig(b.config)
}

// within runs the load, and fails if it has not ended after a minute.
func (b *bed) within(cfg runner.Config) *runner.Load {
	b.tb.Helper()
	kill := make(chan struct{})
	hung := time.AfterFunc(time.Minute, func() { close(kill) })
	defer hung.Stop()
	cfg.Kill = kill
	res := b.run(cfg)
	if res.Interrupted {
		b.tb.Fatal("the run hung")
	}
	return res
}

func TestManyTLSClientsNeverHang(t *testing.T) {
	t.Parallel()
	for _, prepared := range []bool{true, false} {
		for _, reconnect := range []bool{false, true} {
			t.Run(fmt.Sprintf("prepared %v, reconnect %v", prepared, reconnect), func(t *testing.T) {
				t.Parallel()
				b := newBed(t, 1)
				startRelay(t, b, selfSigned(t))
				if prepared {
					b.prepare()
				}
				clients, runs := 64, 4
				if reconnect {
					clients, runs = 16, 2
				}
				for range runs {
					cfg := b.load("select :client_id;\n")
					cfg.Consumers.Clients, cfg.Connect, cfg.Transactions = clients, reconnect, 2
					if res := b.within(cfg); res.Consumers.Transactions != int64(2*clients) {
						t.Fatalf("%d transactions: %q", res.Consumers.Transactions, res.Errors)
					}
				}
			})
		}
	}
}

// slowConn is a connection whose first Write returns only after the reply to it
// was read, and another Read has begun: pgconn reads in the background then.
type slowConn struct {
	net.Conn
	reads atomic.Int64
	again chan struct{} // closed by the second Read
	first sync.Once
}

func (c *slowConn) Read(p []byte) (int, error) {
	if c.reads.Add(1) == 2 {
		close(c.again)
	}
	return c.Conn.Read(p)
}

func (c *slowConn) Write(p []byte) (n int, err error) {
	n, err = c.Conn.Write(p)
	c.first.Do(func() { <-c.again })
	return n, err
}

func TestBackgroundReaderTakesNoReply(t *testing.T) {
	t.Parallel()
	for _, prepared := range []bool{true, false} {
		t.Run(fmt.Sprintf("prepared %v", prepared), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			b.config = b.config.Copy()
			dial := b.config.DialFunc
			b.config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				nc, err := dial(ctx, network, address)
				return &slowConn{Conn: nc, again: make(chan struct{})}, err
			}
			if prepared {
				b.prepare()
			}
			cfg := b.load("select 1;\n")
			cfg.Transactions = 3
			if res := b.within(cfg); res.Consumers.Transactions != 12 {
				t.Errorf("%d transactions: %q", res.Consumers.Transactions, res.Errors)
			}
		})
	}
}

// Under TLS, a large statement is written while a large result comes: neither
// waits for the other.
func TestLargeStatementMeetsLargeResult(t *testing.T) {
	t.Parallel()
	for _, prepared := range []bool{true, false} {
		t.Run(fmt.Sprintf("prepared %v", prepared), func(t *testing.T) {
			t.Parallel()
			b := newBed(t, 1)
			startRelay(t, b, selfSigned(t))
			if prepared {
				b.prepare()
			}
			cfg := b.load("\\startpipeline\nselect repeat('x', 30000000);\nselect length('" + strings.Repeat("y", 24_000_000) + "');\n\\endpipeline\n")
			cfg.Consumers.Clients, cfg.Transactions, cfg.Mode = 1, 2, runner.Extended
			if res := b.within(cfg); res.Consumers.Transactions != 2 {
				t.Errorf("%d transactions", res.Consumers.Transactions)
			}
		})
	}
}

// noticeServer answers the startup with a notice on each side of the first
// ReadyForQuery, the last one torn, and empty queries after that.
func noticeServer(t *testing.T, config *tls.Config) (port int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		if config != nil {
			if _, err := io.ReadFull(c, make([]byte, 8)); err != nil {
				return
			}
			c.Write([]byte{'S'})
			c = tls.Server(c, config)
		}
		be := pgproto3.NewBackend(c, c)
		if _, err := be.ReceiveStartupMessage(); err != nil {
			return
		}
		notice := func(text string) pgproto3.BackendMessage {
			return &pgproto3.NoticeResponse{Severity: "NOTICE", Message: text}
		}
		first := encode(&pgproto3.AuthenticationOk{}, &pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{1, 2, 3, 4}}, notice("before"), &pgproto3.ReadyForQuery{TxStatus: 'I'})
		torn := encode(notice("after"))
		c.Write(append(first, torn[:7]...))
		rest := torn[7:]
		for {
			m, err := be.Receive()
			if err != nil {
				return
			}
			if _, ok := m.(*pgproto3.Query); ok {
				c.Write(append(rest, encode(&pgproto3.EmptyQueryResponse{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})...))
				rest = nil
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func TestNoticesAroundTheFirstReady(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %v", secure), func(t *testing.T) {
			t.Parallel()
			var config *tls.Config
			mode := "disable"
			if secure {
				config, mode = selfSigned(t), "require"
			}
			c, err := pgconn.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%d user=u sslmode=%s", noticeServer(t, config), mode))
			if err != nil {
				t.Fatal(err)
			}
			runner.PrepareConfig(c)
			cfg := scriptedConfig(t, runner.Simple, "select 1;\n")
			cfg.Transactions = 2
			var said []string
			cfg.Message = func(level, text string) {
				if level == "notice" {
					said = append(said, text)
				}
			}
			cfg.Consumers.Clients, cfg.Threads = 1, 1
			res, err := runner.Run(t.Context(), cfg, func(ctx context.Context) (*pgconn.PgConn, error) { return pgconn.ConnectConfig(ctx, c) }, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(said, ", "); got != "NOTICE:  before, NOTICE:  after" || res.Consumers.Transactions != 2 {
				t.Errorf("notices %q, %d transactions: %q", got, res.Consumers.Transactions, res.Errors)
			}
		})
	}
}

// Connections that are being made when a run is cut off end with it.
func TestConnectingEndsWithTheRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, 1)
	cfg := b.load("select 1;\n")
	cfg.Connect, cfg.Duration = true, time.Hour
	kill := make(chan struct{})
	cfg.Kill = kill
	var under atomic.Int64
	connect := func(ctx context.Context) (*pgconn.PgConn, error) {
		if under.Add(1) == int64(cfg.Consumers.Clients) {
			close(kill)
		}
		defer under.Add(-1)
		<-ctx.Done()
		return nil, errors.Join(ctx.Err(), errors.New("gave up"))
	}
	if _, err := runner.Run(t.Context(), cfg, connect, nil); err != nil {
		t.Fatal(err)
	}
	if n := under.Load(); n != 0 {
		t.Errorf("%d connections are still being made", n)
	}
}
