package pgbench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/conninfo"
	"qbench/runner"
)

// connectionString puts -h, -p, -U and the database into one string. As with
// libpq, a database that is a connection string itself wins over the options;
// environment variables fill in what is left.
func (o *options) connectionString() string {
	given := [][2]string{{"host", o.host}, {"port", o.port}, {"user", o.user}}
	if conninfo.IsURL(o.database) {
		return conninfo.Complete(o.database, given)
	}
	last := o.database
	if !strings.Contains(last, "=") {
		given = append(given, [2]string{"dbname", o.database})
		last = ""
	}
	var parts []string
	for _, kv := range given {
		if kv[1] != "" {
			parts = append(parts, kv[0]+"='"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(kv[1])+"'")
		}
	}
	if last != "" {
		parts = append(parts, last)
	}
	return strings.Join(parts, " ")
}

// server makes the run's connections.
type server struct {
	config *pgconn.Config
}

// newServer reads where to connect to. The server's notices go to standard
// error, as libpq does with them.
func (o *options) newServer() (*server, error) {
	given := o.connectionString()
	ready, warning, err := conninfo.Prepare(given)
	if err != nil {
		return nil, fatalf("%s", err)
	}
	cfg, err := pgconn.ParseConfig(ready)
	if err != nil {
		return nil, fatalf("%s", conninfo.Unreadable(given, err))
	}
	if warning != "" {
		o.console.message(levelRaw, warning)
	}
	if err := runner.RefuseGSSEncryption(cfg, os.Getenv("PGGSSENCMODE")); err != nil {
		return nil, fatalf("%s", err)
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = name
	}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		o.console.message(levelNotice, runner.NoticeText(n))
	}
	runner.PrepareConfig(cfg)
	return &server{cfg}, nil
}

// connect is a runner.Connector.
func (s *server) connect(ctx context.Context) (*pgconn.PgConn, error) {
	conn, err := pgconn.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, &connectError{s.config, err}
	}
	return conn, nil
}

// database is the name of the database that is connected to.
func (s *server) database() string {
	if s.config.Database == "" {
		return s.config.User
	}
	return s.config.Database
}

// connectError words a failed connection as libpq does.
type connectError struct {
	config *pgconn.Config
	err    error
}

func (e *connectError) Unwrap() error { return e.err }

func (e *connectError) Error() string {
	cfg := e.config
	local := strings.HasPrefix(cfg.Host, "/") || strings.HasPrefix(cfg.Host, "@")
	var where string
	switch {
	case local:
		where = fmt.Sprintf(`on socket "%s"`, path.Join(cfg.Host, ".s.PGSQL."+strconv.Itoa(int(cfg.Port))))
	case net.ParseIP(cfg.Host) != nil:
		where = fmt.Sprintf(`at "%s", port %d`, cfg.Host, cfg.Port)
	default:
		where = fmt.Sprintf(`at "%s" (%s), port %d`, cfg.Host, e.address(), cfg.Port)
	}
	return "connection to server " + where + " failed: " + e.reason(local)
}

// address is the one that was tried last; several may belong to a host.
func (e *connectError) address() string {
	var op *net.OpError
	if errors.As(e.err, &op) {
		if a, ok := op.Addr.(*net.TCPAddr); ok {
			return a.IP.String()
		}
	}
	return "?"
}

func (e *connectError) reason(local bool) string {
	var said *pgconn.PgError
	if errors.As(e.err, &said) {
		text := runner.ErrorText(said, "")
		if strings.HasPrefix(said.Code, "28") && e.config.Password == "" {
			text += "\nqbench asks for no password: give one in PGPASSWORD, a passfile or the connection string"
		}
		return text
	}
	var number syscall.Errno
	if errors.As(e.err, &number) {
		if local {
			return sentence(number) + "\n\tIs the server running locally and accepting connections on that socket?"
		}
		return sentence(number) + "\n\tIs the server running on that host and accepting TCP/IP connections?"
	}
	return e.err.Error()
}
