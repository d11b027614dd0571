package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/schema"
)

// lockClass is the first of the two integers of the run lock ("qben"); the
// second is the hash of the schema's name. Keys of two integers never meet
// those of one bigint, which strategies lock orders with.
const lockClass = 0x7162656e

// RunLock keeps other qbench commands away from a schema's queues. It is an
// advisory lock of a transaction that stays open, on a connection of its own.
// The transaction is read committed and idle, so that it has no snapshot and
// holds back no VACUUM. It belongs to the transaction rather than the session
// because a pooler in transaction mode keeps a server connection for one only
// as long as a transaction is open.
type RunLock struct {
	target *Target
	schema string
	conn   *pgx.Conn
}

// InUseError says that the schema is in use by another qbench command.
type InUseError struct {
	Schema string
	Holder Holder
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("schema %q is in use by another qbench run%s: wait for its end, or name another schema with --schema-name", e.Schema, e.Holder)
}

// Holder describes who holds a run lock.
type Holder struct {
	PID    int32     // of its server process
	Since  time.Time // zero where this role may not know
	Client string    // "process 4711 on build7"; "" where it does not say
}

// String is what follows on "in use".
func (h Holder) String() string {
	if h.PID == 0 {
		return ""
	}
	since := ""
	if !h.Since.IsZero() {
		since = " since " + h.Since.Format("2006-01-02 15:04:05 MST")
	}
	client := ""
	if h.Client != "" {
		client = h.Client + ", "
	}
	return fmt.Sprintf("%s (%sserver process %d)", since, client, h.PID)
}

// A lock whose owner has just ended is free a moment later.
const (
	lockPatience = time.Second
	lockCheck    = 20 * time.Millisecond
)

// Lock takes the run lock of the target's schema; release it on every path. The
// error is an *InUseError where another command holds it.
func (t *Target) Lock(ctx context.Context) (*RunLock, error) {
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &RunLock{target: t, conn: conn}
	if l.schema, err = schema.Resolve(ctx, conn, t.Schema); err == nil {
		err = l.take(ctx)
	}
	if err != nil {
		closeConn(ctx, conn)
		return nil, err
	}
	return l, nil
}

// lockSettings keep the transaction open for as long as the run takes, and let
// the server notice within two minutes that the client's machine is gone.
// Those that a server doesn't know are left out.
const lockSettings = `
	select pg_catalog.set_config(s.name, v.value, true)
	from (values ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'), ('statement_timeout', '0'),
	             ('tcp_keepalives_idle', '60'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '6')) v (name, value)
	join pg_catalog.pg_settings s on s.name operator(pg_catalog.=) v.name`

// take begins the transaction and locks. All of it travels in the simple
// protocol: in the extended one the last statement's portal would stay open,
// and its snapshot with it.
func (l *RunLock) take(ctx context.Context) error {
	pc := l.conn.PgConn()
	name, err := pc.EscapeString(l.schema)
	if err != nil {
		return fmt.Errorf("lock schema %q: %w", l.schema, err)
	}
	label, err := pc.EscapeString(lockLabel())
	if err != nil {
		return fmt.Errorf("lock schema %q: %w", l.schema, err)
	}
	begin := "begin isolation level read committed read only; set local application_name = '" + label + "';" + lockSettings
	if _, err := pc.Exec(ctx, begin).ReadAll(); err != nil {
		return fmt.Errorf("lock schema %q: %w", l.schema, err)
	}
	try := fmt.Sprintf("select pg_catalog.pg_try_advisory_xact_lock(%d, pg_catalog.hashtext('%s'))", lockClass, name)
	for giveUp := time.Now().Add(lockPatience); ; {
		value, err := scalar(ctx, pc, try)
		switch {
		case err != nil:
			return fmt.Errorf("lock schema %q: %w", l.schema, err)
		case value == "t":
			return nil
		case time.Now().After(giveUp):
			holder, _, err := holderOf(ctx, l.conn, l.schema)
			if err != nil {
				return err
			}
			return &InUseError{Schema: l.schema, Holder: holder}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockCheck):
		}
	}
}

// scalar runs one statement in the simple protocol and returns its only value.
func scalar(ctx context.Context, pc *pgconn.PgConn, sql string) (string, error) {
	results, err := pc.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return "", errors.New("the server returned no row")
	}
	return string(results[0].Rows[0][0]), nil
}

// labelPrefix begins the application_name of a lock's connection, which every
// role may read.
const labelPrefix = "qbench run lock: "

func lockLabel() string { return labelPrefix + lockClient() }

// lockClient names this process, as short as an application_name must be.
func lockClient() string {
	text := fmt.Sprintf("process %d on %s", os.Getpid(), hostname())
	const longest = 63 // of an application_name
	return text[:min(len(text), longest-len(labelPrefix))]
}

func hostname() string {
	host, err := os.Hostname()
	if err != nil {
		return "an unknown host"
	}
	return host
}

// Holder returns the holder of the run lock of the target's schema; ok is false
// if the lock is free.
func (t *Target) Holder(ctx context.Context, conn *pgx.Conn) (h Holder, ok bool, err error) {
	name, err := schema.Resolve(ctx, conn, t.Schema)
	if err != nil {
		return h, false, err
	}
	return holderOf(ctx, conn, name)
}

func holderOf(ctx context.Context, conn *pgx.Conn, schema string) (h Holder, ok bool, err error) {
	var since *time.Time
	var label string
	// Some server processes have no row in the view, or hide it.
	err = conn.QueryRow(ctx, `
		select l.pid, a.xact_start, coalesce(a.application_name, '')
		from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid operator(pg_catalog.=) l.pid
		where l.locktype operator(pg_catalog.=) 'advisory' and l.granted and l.objsubid operator(pg_catalog.=) 2
		  and l.database operator(pg_catalog.=) (select oid from pg_catalog.pg_database where datname operator(pg_catalog.=) pg_catalog.current_database())
		  and l.classid operator(pg_catalog.=) $1::pg_catalog.int8::pg_catalog.oid
		  and l.objid operator(pg_catalog.=) (pg_catalog.hashtext($2)::pg_catalog.int8 operator(pg_catalog.&) 4294967295)::pg_catalog.oid
		limit 1`, int64(lockClass), schema).Scan(&h.PID, &since, &label)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Holder{}, false, nil
	case err != nil:
		return Holder{}, false, fmt.Errorf("look for the run lock of schema %q: %w", schema, err)
	}
	if since != nil {
		h.Since = *since
	}
	h.Client, ok = strings.CutPrefix(label, labelPrefix)
	if !ok {
		h.Client = ""
	}
	return h, true, nil
}

// Renew takes the lock again if its connection was lost. The error is an
// *InUseError where another command was faster.
func (l *RunLock) Renew(ctx context.Context) error {
	if _, err := l.conn.PgConn().Exec(ctx, "").ReadAll(); err == nil && l.conn.PgConn().TxStatus() == 'T' {
		return nil
	}
	closeConn(ctx, l.conn)
	again, err := l.target.Lock(ctx)
	if err != nil {
		return err
	}
	l.conn = again.conn
	return nil
}

// Release gives the lock back. When it returns, the next command can take it.
func (l *RunLock) Release(ctx context.Context) {
	// Cancelled or not: a lock that is only dropped with its connection would
	// still be held when the next run of this process asks for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockPatience)
	defer cancel()
	_, _ = l.conn.PgConn().Exec(ctx, "rollback").ReadAll()
	_ = l.conn.Close(ctx)
}
