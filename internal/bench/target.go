package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/conninfo"
	"qbench/runner"
)

// Target is the server and the schema that runs take place on.
type Target struct {
	// Schema is the schema of the tables; "" is the connection's current one.
	Schema string
	// Disposable says that qbench started the server itself.
	Disposable bool
	// Warning is libpq's about a password file that others can read, and that is therefore not used; "" for none.
	Warning string

	config *pgx.ConnConfig
	load   *pgconn.Config // of the load's connections
}

// NewTarget reads a connection string (URL or keywords; "" for libpq's
// variables alone) without connecting. Its errors hold no password.
func NewTarget(dsn, schema string) (*Target, error) {
	ready, warning, err := conninfo.Prepare(dsn)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(ready)
	if err != nil {
		return nil, conninfo.Unreadable(dsn, err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "qbench"
	}
	if schema != "" {
		config.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	}
	load := config.Config.Copy()
	runner.PrepareConfig(load)
	return &Target{Schema: schema, Warning: warning, config: config, load: load}, nil
}

// dial makes a connection for a client of the load.
func (t *Target) dial(ctx context.Context) (*pgconn.PgConn, error) {
	return patiently(ctx, t, func() (*pgconn.PgConn, error) { return t.dialOnce(ctx) })
}

// redial is dial in the middle of a load (-C): a limit that is met there is what
// the load does to the server, and belongs in the result as it does with pgbench.
func (t *Target) redial(ctx context.Context) (*pgconn.PgConn, error) {
	conn, err := t.dialOnce(ctx)
	if err != nil {
		return nil, t.explain(err)
	}
	return conn, nil
}

func (t *Target) dialOnce(ctx context.Context) (*pgconn.PgConn, error) {
	return pgconn.ConnectConfig(ctx, t.load)
}

// Connect makes a connection for administrative steps. They take as long as
// they take, whatever the server's default time limits are.
func (t *Target) Connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := patiently(ctx, t, func() (*pgx.Conn, error) { return pgx.ConnectConfig(ctx, t.config.Copy()) })
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0"); err != nil {
		_ = conn.Close(ctx)
		return nil, fmt.Errorf("lift the time limits of an administrative connection: %w", err)
	}
	return conn, nil
}

// A closed connection counts until its server process has ended, which on a busy
// server can be after the next run has begun; a server, a role or a database
// is full when it still is after fullFor.
const (
	fullFor   = 3 * time.Second
	fullCheck = 50 * time.Millisecond
)

// patiently connects, again while connections of before may be ending.
func patiently[C any](ctx context.Context, t *Target, connect func() (C, error)) (C, error) {
	var none C
	for giveUp := time.Now().Add(fullFor); ; {
		conn, err := connect()
		if err == nil {
			return conn, nil
		}
		if _, full := Full(err); !full || time.Now().After(giveUp) {
			return none, t.explain(err)
		}
		select {
		case <-ctx.Done():
			return none, ctx.Err()
		case <-time.After(fullCheck):
		}
	}
}

// Full tells whether err is the limit on connections of a server, a role or a
// database, and in the server's words which.
func Full(err error) (which string, full bool) {
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == tooManyConnections {
		return pe.Message, true
	}
	return "", false
}

// String names the server, without a password.
func (t *Target) String() string {
	c := t.config
	place := fmt.Sprintf("%s:%d", c.Host, c.Port)
	if strings.HasPrefix(c.Host, "/") {
		place = c.Host
	}
	if c.Database != "" {
		place += ", database " + c.Database
	}
	return place + ", user " + c.User
}

// sqlstates of a refused login.
const (
	invalidAuthorization = "28000"
	invalidPassword      = "28P01"
	tooManyConnections   = "53300"
	noDatabase           = "3D000"
)

// explain words a failed connection on one line, with what to do about it.
func (t *Target) explain(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	advice := "is it running, and is this the place? name a server with --dsn or PGHOST and PGPORT"
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		switch pe.Code {
		case invalidPassword:
			advice = "check the password in PGPASSWORD, ~/.pgpass or --dsn"
		case invalidAuthorization:
			advice = "check the user in PGUSER or --dsn, and the server's pg_hba.conf"
		case tooManyConnections:
			advice = "use fewer clients (-c), or raise max_connections"
		case noDatabase:
			advice = "name another one in PGDATABASE or --dsn"
		default:
			advice = "see the server's log"
		}
		return &ConnectError{fmt.Sprintf("connect to %s: %s (SQLSTATE %s; %s)", t, pe.Message, pe.Code, advice), err}
	}
	cause := err
	var ce *pgconn.ConnectError
	if errors.As(err, &ce) && ce.Unwrap() != nil {
		cause = ce.Unwrap()
	}
	// The driver tries every address of a name and lists all failures alike.
	var oe *net.OpError
	var de *net.DNSError
	if errors.As(err, &de) {
		cause = de
	} else if errors.As(err, &oe) {
		cause = oe
	}
	text := strings.Join(strings.Fields(cause.Error()), " ")
	return &ConnectError{fmt.Sprintf("connect to %s: %s (%s)", t, text, advice), err}
}

// ConnectError is a connection that could not be made, in words for a person.
type ConnectError struct {
	text string
	err  error
}

func (e *ConnectError) Error() string { return e.text }
func (e *ConnectError) Unwrap() error { return e.err }

// RedactDSN returns a connection string with its passwords masked, for
// records of a command line. A string that cannot be taken apart is masked as
// a whole.
func RedactDSN(dsn string) string {
	const mask = "xxxxx"
	if !strings.Contains(dsn, "://") {
		if strings.Contains(strings.ToLower(dsn), "password") || strings.Contains(dsn, "@") {
			return mask
		}
		return dsn
	}
	u, err := url.Parse(dsn)
	// An unencoded / or ? in a password moves the rest of it into what follows.
	if err != nil || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return mask
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), mask)
	}
	// So may an & or a # there; the query is not taken apart for that.
	if strings.Contains(strings.ToLower(u.RawQuery), "password") {
		u.RawQuery, u.Fragment = mask, ""
	}
	return u.String()
}
