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
	if err := q.QueryRow(ctx, "select current_schema()::text").Scan(&current); err != nil {
		return "", fmt.Errorf("ask for the current schema: %w", err)
	}
	if current == nil {
		return "", errors.New("the connection's search_path names no schema that exists: name one with --schema-name")
	}
	return *current, nil
}

// inSchema runs f in a transaction whose unqualified names mean the schema's.
// The setting ends with the transaction, so a pooled connection stays clean;
// this is also why the SQL files need no qualified names.
func inSchema(ctx context.Context, conn *pgx.Conn, schema string, o pgx.TxOptions, f func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, o, func(tx pgx.Tx) error {
		if err := useSchema(ctx, tx, schema); err != nil {
			return err
		}
		return f(tx)
	})
}

func useSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	_, err := tx.Exec(ctx, "select set_config('search_path', $1, true)", pgx.Identifier{schema}.Sanitize()+", pg_temp")
	if err != nil {
		return fmt.Errorf("use schema %q: %w", schema, err)
	}
	return nil
}

// lockTimeout bounds the wait for tables that another session uses: a second
// qbench on the same queue should be an error message, not a silence.
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
		return fmt.Errorf("the tables in schema %q are in use by another session (is another qbench running?): wait for it, or name another schema with --schema-name: %w", schema, err)
	case "2BP01": // dependent_objects_still_exist
		return fmt.Errorf("other objects depend on qbench's tables in schema %q; nothing was dropped: drop these first, or name another schema with --schema-name: %w\n%s", schema, err, pe.Detail)
	case "53200": // out_of_memory, here: the lock table
		return fmt.Errorf("%w (raise the server's max_locks_per_transaction or use fewer --partitions)", err)
	}
	return err
}
