package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// pooling is how a connection pooler between qbench and the server hands out
// the server's connections; "" is no pooler.
type pooling string

const (
	sessionPooling     pooling = "session pooling"
	transactionPooling pooling = "transaction pooling"
)

// poolerWait bounds the wait for a server connection from a pooler, which is
// silent while its pool is used up.
const poolerWait = 30 * time.Second

// probeRounds is how often a probe tries to be given another server
// connection. One round is enough for a pooler that hands out the connection
// used last, as well as for one that takes them in turn.
const probeRounds = 20

// pooling finds out, once, how the target's connections reach the server.
func (t *Target) pooling(ctx context.Context) (pooling, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pooler != nil {
		return *t.pooler, nil
	}
	found, err := t.detectPooling(ctx)
	if err == nil {
		t.pooler = &found
	}
	return found, err
}

// detectPooling tells a pooler by its own process numbers: those of the
// handshake are not the server's. Transaction pooling is shown by a server
// connection that was given to one client's transaction and then to
// another's, while the first client is still connected.
func (t *Target) detectPooling(ctx context.Context) (pooling, error) {
	one, err := t.dial(ctx, "")
	if err != nil {
		return "", err
	}
	defer closePgConn(ctx, one)
	home, err := t.backend(ctx, one, "select pg_catalog.pg_backend_pid()")
	if err != nil || home == one.PID() {
		return "", err
	}
	if home, err = t.backend(ctx, one, wholeTransaction); err != nil {
		return "", err
	}
	two, err := t.dial(ctx, "")
	if err != nil {
		return "", err
	}
	defer closePgConn(ctx, two)
	for range probeRounds {
		held, err := t.backend(ctx, two, openTransaction)
		if err != nil {
			return "", err
		}
		now := home
		if held != home {
			if now, err = t.backend(ctx, one, wholeTransaction); err != nil {
				return "", err
			}
		}
		if err := t.exec(ctx, two, "rollback"); err != nil {
			return "", err
		}
		if held == home || now != home {
			return transactionPooling, nil
		}
	}
	return sessionPooling, nil
}

// keepsPrepared finds out, once, whether a statement that is prepared in one
// transaction can be executed in a later one that a transaction pooler gives
// another server connection. It leaves no statement behind.
func (t *Target) keepsPrepared(ctx context.Context) (kept bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.prepared != nil {
		return *t.prepared, nil
	}
	if kept, err = t.probePrepared(ctx); err == nil {
		t.prepared = &kept
	}
	return kept, err
}

func (t *Target) probePrepared(ctx context.Context) (kept bool, err error) {
	one, err := t.dial(ctx, "")
	if err != nil {
		return false, err
	}
	defer closePgConn(ctx, one)
	two, err := t.dial(ctx, "")
	if err != nil {
		return false, err
	}
	defer closePgConn(ctx, two)
	name := "qbench_" + rand.Text()
	home, err := t.backend(ctx, one, openTransaction)
	if err != nil {
		return false, err
	}
	if _, err := one.Prepare(ctx, name, "select 1", nil); err != nil {
		_ = t.exec(ctx, one, "rollback")
		return false, nil // refused, which is an answer
	}
	if err := t.exec(ctx, one, "commit"); err != nil {
		return false, err
	}
	decided := false
	for round := 0; round < probeRounds && !decided; round++ {
		// Both hold a server connection at a time, so that they hold different
		// ones; who comes first alternates, in case the pooler has just two.
		first, second := two, one
		if round%2 == 1 {
			first, second = one, two
		}
		if _, err := t.backend(ctx, first, openTransaction); err != nil {
			return false, err
		}
		if _, err := t.backend(ctx, second, openTransaction); err != nil {
			return false, err
		}
		at, err := t.backend(ctx, one, "select pg_catalog.pg_backend_pid()")
		if err != nil {
			return false, err
		}
		if decided = at != home; decided {
			kept = one.ExecPrepared(ctx, name, nil, nil, nil).Read().Err == nil
		}
		if err := errors.Join(t.exec(ctx, one, "rollback"), t.exec(ctx, two, "rollback")); err != nil {
			return false, err
		}
	}
	if kept {
		return true, one.Deallocate(ctx, name)
	}
	return false, t.forget(ctx, name, home, one, two)
}

// forget takes a prepared statement away from the server connection that has
// it, once one of the clients is given that.
func (t *Target) forget(ctx context.Context, name string, home uint32, clients ...*pgconn.PgConn) error {
	for round := range probeRounds {
		conn := clients[round%len(clients)]
		at, err := t.backend(ctx, conn, openTransaction)
		if err != nil {
			return err
		}
		if at == home {
			return t.exec(ctx, conn, `deallocate "`+name+`"; commit`)
		}
		if err := t.exec(ctx, conn, "rollback"); err != nil {
			return err
		}
	}
	return nil
}

const (
	openTransaction  = "begin; select pg_catalog.pg_backend_pid()"
	wholeTransaction = openTransaction + "; commit"
)

// backend runs statements of which one asks for the server's process number.
func (t *Target) backend(ctx context.Context, conn *pgconn.PgConn, sql string) (uint32, error) {
	ctx, cancel := context.WithTimeout(ctx, poolerWait)
	defer cancel()
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return 0, t.explainPooler(err)
	}
	for _, r := range results {
		if len(r.Rows) == 1 {
			pid, err := strconv.ParseUint(string(r.Rows[0][0]), 10, 32)
			return uint32(pid), err
		}
	}
	return 0, errors.New("the server did not say which of its processes answers")
}

func (t *Target) exec(ctx context.Context, conn *pgconn.PgConn, sql string) error {
	if _, err := conn.Exec(ctx, sql).ReadAll(); err != nil {
		return t.explainPooler(err)
	}
	return nil
}

// explainPooler words an error in the first statements through a pooler.
func (t *Target) explainPooler(err error) error {
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe) && statementPooling(pe):
		return fmt.Errorf("the connection pooler at %s pools statements (%s), and every queue needs transactions: "+
			"connect to PostgreSQL directly, or to a pool with pool_mode = transaction or session", t.place(), pe.Message)
	case errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err):
		return fmt.Errorf("the connection pooler at %s gave no server connection within %s: its pool is used up "+
			"(pgbouncer: default_pool_size), or PostgreSQL does not answer it", t.place(), poolerWait)
	}
	return fmt.Errorf("ask the server at %s which of its processes answers: %w", t, err)
}

// statementPooling tells pgbouncer's refusal of BEGIN.
func statementPooling(pe *pgconn.PgError) bool {
	return pe.Code == protocolViolation && pe.Message == "transaction blocks not allowed in statement pooling mode"
}

func closePgConn(ctx context.Context, conn *pgconn.PgConn) {
	_ = conn.Close(context.WithoutCancel(ctx))
	// Where ctx ended a statement, pgconn keeps the socket open for a while.
	_ = conn.Conn().Close()
}
