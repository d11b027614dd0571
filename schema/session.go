package schema

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Connect opens a further connection to the server that the tables are on.
type Connect func(ctx context.Context) (*pgx.Conn, error)

// querier is what a connection and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Resolve returns the name of the schema that "" stands for on a connection, and
// any other name as it is.
func Resolve(ctx context.Context, conn *pgx.Conn, name string) (string, error) {
	return resolveSchema(ctx, conn, name)
}

// resolveSchema returns the name of the schema to work in.
func resolveSchema(ctx context.Context, q querier, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	var current *string
	if err := q.QueryRow(ctx, "select pg_catalog.current_schema()::pg_catalog.text").Scan(&current); err != nil {
		return "", fmt.Errorf("ask for the current schema: %w", err)
	}
	if current == nil {
		return "", errors.New("the connection's search_path names no schema that exists: name one with --schema-name")
	}
	return *current, nil
}

// InCatalog runs f in a transaction in which unqualified names mean
// PostgreSQL's own objects only, and in which no time limit of the role or the
// database applies. All of qbench's own statements run in one, with the names
// of tables qualified: whatever others have planted in a schema is not called.
//
// The settings end with the transaction, so that a connection of a pooler
// stays as it was.
func InCatalog(ctx context.Context, conn *pgx.Conn, o pgx.TxOptions, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, o, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, ownSettings); err != nil {
			return fmt.Errorf("prepare a transaction: %w", err)
		}
		return f(tx)
	})
}

// ownSettings begin each transaction. transaction_timeout is from PostgreSQL 17.
const ownSettings = `
	set local search_path = pg_catalog, pg_temp;
	set local statement_timeout = 0;
	set local lock_timeout = 0;
	set local idle_in_transaction_session_timeout = 0;
	select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`

// lockTimeout bounds the wait for tables that another session uses: a
// transaction that stays open should be an error message, not a silence.
const lockTimeout = "10s"

// explain turns errors whose cause lies outside of this package into words
// that say what to do.
func explain(err error, schema string) error {
	var pe *pgconn.PgError
	if !errors.As(err, &pe) {
		return err
	}
	switch pe.Code {
	case "55P03": // lock_not_available
		return fmt.Errorf("another session holds a lock on the tables in schema %q (pg_locks says which): wait for it to end, or name another schema with --schema-name: %w", schema, err)
	case "57014": // query_canceled
		return fmt.Errorf("%w (qbench lifts the role's time limits, but behind a connection pooler not those on VACUUM and ANALYZE: "+
			"raise statement_timeout for the role, or connect to PostgreSQL directly)", err)
	case "2BP01": // dependent_objects_still_exist
		return fmt.Errorf("other objects depend on qbench's tables in schema %q; nothing was dropped: drop these first, or name another schema with --schema-name: %w\n%s", schema, err, pe.Detail)
	case "53200": // out_of_memory, here: the lock table
		return fmt.Errorf("%w (raise the server's max_locks_per_transaction or use fewer --partitions)", err)
	}
	return err
}
