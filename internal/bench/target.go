package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
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

	mu       sync.Mutex
	pooler   *pooling // nil until it was looked for
	prepared *bool    // whether it keeps prepared statements; likewise
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
	if err := runner.RefuseGSSEncryption(&config.Config, ""); err != nil {
		return nil, err
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "qbench"
	}
	// Named statements, pgx's default, are in the way behind a pooler that gives
	// each transaction another server connection.
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 64
	load := config.Config.Copy()
	runner.PrepareConfig(load)
	return &Target{Schema: schema, Warning: warning, config: config, load: load}, nil
}

// dial makes a connection without any of pgx's own state, with a search_path
// at its start; "" leaves it to the role.
func (t *Target) dial(ctx context.Context, searchPath string) (*pgconn.PgConn, error) {
	return patiently(ctx, t, func() (*pgconn.PgConn, error) { return t.dialOnce(ctx, searchPath) })
}

// redial is dial in the middle of a load (-C): a limit that is met there is what
// the load does to the server, and belongs in the result as it does with pgbench.
func (t *Target) redial(ctx context.Context, searchPath string) (*pgconn.PgConn, error) {
	conn, err := t.dialOnce(ctx, searchPath)
	if err != nil {
		return nil, t.explain(err)
	}
	return conn, nil
}

func (t *Target) dialOnce(ctx context.Context, searchPath string) (*pgconn.PgConn, error) {
	config := t.load
	if searchPath != "" {
		config = config.Copy()
		config.RuntimeParams["search_path"] = searchPath
	}
	return pgconn.ConnectConfig(ctx, config)
}

// Connect makes a connection for administrative steps. Its search_path is the
// role's: what qbench itself runs goes through schema.InCatalog, where no time
// limit of the role applies. For what cannot run in a transaction they are
// lifted here, but not on the connections of a pooler, where others would be
// left without them.
func (t *Target) Connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := patiently(ctx, t, func() (*pgx.Conn, error) { return pgx.ConnectConfig(ctx, t.config.Copy()) })
	if err != nil {
		return nil, err
	}
	if err := t.ready(ctx, conn.PgConn()); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// ready lifts the time limits of a connection's session if it is the server's,
// and refuses a pooler that knows no transactions.
func (t *Target) ready(ctx context.Context, conn *pgconn.PgConn) error {
	server, err := t.backend(ctx, conn, "select pg_catalog.pg_backend_pid()")
	switch {
	case err != nil:
		return err
	case server == conn.PID():
		return t.exec(ctx, conn, "set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0")
	}
	if err := t.exec(ctx, conn, "begin"); err != nil {
		return err
	}
	return t.exec(ctx, conn, "rollback")
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

// place is where the server or the pooler in front of it listens.
func (t *Target) place() string {
	if strings.HasPrefix(t.config.Host, "/") {
		return t.config.Host
	}
	return fmt.Sprintf("%s:%d", t.config.Host, t.config.Port)
}

// String names the server, without a password.
func (t *Target) String() string {
	c, place := t.config, t.place()
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
	protocolViolation    = "08P01"
)

// explain words a failed connection on one line, with what to do about it.
func (t *Target) explain(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	advice := "is PostgreSQL listening there? name a server with --dsn, or with PGHOST and PGPORT"
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		switch pe.Code {
		case invalidPassword:
			advice = "check the password in PGPASSWORD, ~/.pgpass or --dsn"
		case invalidAuthorization:
			advice = "check the user in PGUSER or --dsn, and the server's pg_hba.conf"
		case tooManyConnections:
			advice = "use fewer clients (-c), or " + raise(pe.Message)
		case noDatabase:
			advice = "name another one in PGDATABASE or --dsn"
		case protocolViolation:
			advice = "see the log of the server, or of the connection pooler in front of it"
			if name := refusedParameter(err); name != "" {
				advice = "a connection pooler refuses this setting: take " + name + " out of the connection string and PGOPTIONS, or connect to PostgreSQL directly"
			} else if strings.Contains(pe.Message, "max_client_conn") {
				advice = "use fewer clients (-c), or raise max_client_conn of the pooler"
			}
		default:
			advice = "see the server's log"
		}
		return &unreachableError{fmt.Sprintf("connect to %s: %s (SQLSTATE %s; %s)", t, pe.Message, pe.Code, advice), err}
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
	return &unreachableError{fmt.Sprintf("connect to %s: %s (%s)", t, text, advice), err}
}

// raise is what to raise for a limit on connections, by the server's message.
func raise(message string) string {
	switch {
	case strings.Contains(message, "for role"):
		return "raise the role's limit (alter role … connection limit)"
	case strings.Contains(message, "for database"):
		return "raise the database's limit (alter database … connection limit)"
	}
	return "raise max_connections"
}

// startupRefused tells a pooler's refusal of a setting at the start of a
// connection.
func startupRefused(err error) bool { return refusedParameter(err) != "" }

// refusedParameter names the setting that pgbouncer refuses.
func refusedParameter(err error) string {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.Code != protocolViolation {
		return ""
	}
	name, _ := strings.CutPrefix(pe.Message, "unsupported startup parameter: ")
	if name == pe.Message {
		name, _ = strings.CutPrefix(pe.Message, "unsupported startup parameter in options: ")
	}
	if name == pe.Message {
		return ""
	}
	return name
}

// unreachableError is a connection that could not be made, in words for a person
// and with what to do. Which client of a load could not connect is
// runner.ConnectError's to say.
type unreachableError struct {
	text string
	err  error
}

func (e *unreachableError) Error() string { return e.text }
func (e *unreachableError) Unwrap() error { return e.err }
