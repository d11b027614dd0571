package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/result"
	"qbench/schema"
)

// settings are those that move the numbers of a queue, or that a reader of a
// result needs to judge them.
var settings = []string{
	"autovacuum", "autovacuum_naptime", "checkpoint_timeout", "commit_delay", "default_transaction_isolation", "effective_cache_size", "fsync",
	"full_page_writes", "jit", "max_connections", "max_locks_per_transaction", "max_wal_size", "random_page_cost",
	"shared_buffers", "synchronous_commit", "synchronous_standby_names", "wal_compression", "wal_level", "wal_sync_method", "work_mem",
}

// sized are the settings that a disposable server is given by the number of
// clients, and that move no numbers: they are no part of a configuration.
var sized = []string{"max_connections", "max_locks_per_transaction"}

// readServer reads what a configuration says of the server. It is read for each
// run: between two of them it may have been started again with other settings.
func (r *run) readServer(ctx context.Context, conn *pgx.Conn) error {
	return schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error {
		env := result.Environment{Settings: map[string]string{}}
		if err := readSettings(ctx, tx, &env); err != nil {
			return err
		}
		for _, name := range sized {
			delete(env.Settings, name)
		}
		r.settings = result.Assign(env.Settings)
		return tx.QueryRow(ctx, "select current_setting('server_version_num')::int / 10000").Scan(&r.serverMajor)
	})
}

// lookAtServer is readServer where no tables need a connection.
func (r *run) lookAtServer(ctx context.Context) error {
	conn, err := r.target.Connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	return r.readServer(ctx, conn)
}

// Environment reads what the numbers will be measured on: the server's version
// and settings, and this machine. The caller adds what it knows itself.
func (t *Target) Environment(ctx context.Context) (result.Environment, error) {
	env := result.Environment{
		Settings: map[string]string{}, Disposable: t.Disposable,
		HostCores: runtime.NumCPU(), HostMemory: hostMemory(), HostCPU: hostCPU(), HostOS: runtime.GOOS + "/" + runtime.GOARCH,
	}
	conn, err := t.Connect(ctx)
	if err != nil {
		return env, err
	}
	defer closeConn(ctx, conn)
	err = schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error { return readSettings(ctx, tx, &env) })
	return env, err
}

// readOnly are the options of transactions that only ask.
var readOnly = pgx.TxOptions{AccessMode: pgx.ReadOnly}

func readSettings(ctx context.Context, tx pgx.Tx, env *result.Environment) error {
	var version string
	if err := tx.QueryRow(ctx, "select current_setting('server_version')").Scan(&version); err != nil {
		return fmt.Errorf("ask the server for its version: %w", err)
	}
	// Packagers add their own words behind the number.
	env.ServerVersion, _, _ = strings.Cut(version, " ")
	rows, err := tx.Query(ctx, "select name, current_setting(name) from pg_settings where name = any($1) and current_setting(name) <> ''", settings)
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		env.Settings[name] = value
		return nil
	}); err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	return nil
}

// VacuumCycle is how long a busy queue may go without VACUUM: the server's
// autovacuum_naptime, after which each database is looked at again. What
// workers leave behind slows them down until then.
func (t *Target) VacuumCycle(ctx context.Context) (time.Duration, error) {
	conn, err := t.Connect(ctx)
	if err != nil {
		return 0, err
	}
	defer closeConn(ctx, conn)
	var seconds int64
	err = schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "select setting::int8 from pg_settings where name = 'autovacuum_naptime'").Scan(&seconds)
	})
	if err != nil {
		return 0, fmt.Errorf("ask the server for autovacuum_naptime: %w", err)
	}
	return time.Duration(seconds) * time.Second, nil
}
