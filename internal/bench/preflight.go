package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/amount"
	"qbench/schema"
)

// Check reports, without touching anything, why one of the runs could not be
// done on the target: no connection, too few of them, no rights, tables that
// belong to another user, a connection pooler that it cannot work behind.
func (t *Target) Check(ctx context.Context, specs []Spec) error {
	conn, err := t.Connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	clients, locks := 0, 0
	for _, s := range specs {
		clients = max(clients, s.Connections())
		locks = max(locks, s.Connections()*s.LocksPerClient())
	}
	pooler, err := t.pooling(ctx)
	if err != nil {
		return err
	}
	err = schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error {
		// Behind a pooler clients wait for connections, and idle ones are free.
		if pooler == "" {
			if err := checkConnections(ctx, tx, clients); err != nil {
				return err
			}
		}
		return checkLocks(ctx, tx, locks)
	})
	if err != nil {
		return err
	}
	for _, s := range specs {
		if err := t.suits(ctx, &s); err != nil {
			return err
		}
		if s.Queue.Workload == "" {
			continue
		}
		if s.KeepData {
			made, err := schema.Inspect(ctx, conn, t.Schema, s.Queue.Workload)
			if err != nil {
				return err
			}
			if made != nil && made.Seeded {
				if _, err := s.onMade(made); err != nil {
					return err
				}
				continue
			}
			name, err := schema.Resolve(ctx, conn, t.Schema)
			if err != nil {
				return err
			}
			if err := s.nothingToKeep(name, made); err != nil {
				return err
			}
			if s, err = s.resolveQueue(); err != nil {
				return err
			}
		}
		s.Queue.Schema = t.Schema
		if err := schema.Preflight(ctx, conn, s.Queue); err != nil {
			return err
		}
	}
	return nil
}

// Room is the number of clients that the target has connections and locks for,
// beside the spec's producers: the most that Check lets pass. It is 0 where
// there is room for none.
func (t *Target) Room(ctx context.Context, s Spec) (int, error) {
	conn, err := t.Connect(ctx)
	if err != nil {
		return 0, err
	}
	defer closeConn(ctx, conn)
	// The backends of connections that were closed just now still count for a
	// moment, and there may be few to choose from.
	free := 0
	size := 0
	for range 5 {
		err := schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error {
			n, _, err := freeConnections(ctx, tx)
			if err != nil {
				return err
			}
			free = max(free, n)
			size, _, err = lockTable(ctx, tx)
			return err
		})
		if err != nil {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	room := min(free-ownConnections, size/s.LocksPerClient())
	if s.Feed != nil {
		room -= s.Feed.Clients
	}
	return max(0, room), nil
}

// freeConnections counts the connections that this role can still get, and
// says what the server's limit is. Those of roles and databases show at the
// login.
func freeConnections(ctx context.Context, tx pgx.Tx) (free, limit int, err error) {
	var reserved, used int
	// Rows of other roles hide their backend's type; those of background
	// processes have no database.
	err = tx.QueryRow(ctx, `
		select current_setting('max_connections')::int,
		       case when (select rolsuper from pg_roles where rolname = current_user) then 0
		            else current_setting('superuser_reserved_connections')::int
		               + coalesce(current_setting('reserved_connections', true)::int, 0) end,
		       (select count(*) from pg_stat_activity
		        where datid is not null and coalesce(backend_type, 'client backend') = 'client backend'
		          and pid <> pg_backend_pid())`).Scan(&limit, &reserved, &used)
	if err != nil {
		return 0, 0, fmt.Errorf("ask the server for its free connections: %w", err)
	}
	return max(0, limit-reserved-used), limit, nil
}

// checkConnections compares the connections that the clients need with those
// that are free.
func checkConnections(ctx context.Context, tx pgx.Tx, clients int) error {
	free, limit, err := freeConnections(ctx, tx)
	if err != nil {
		return err
	}
	if need := clients + ownConnections; need > free {
		return fmt.Errorf("%s need %s, %s are free (max_connections = %d): use fewer clients (-c), or raise max_connections on the server",
			amount.Count(clients, "client"), amount.Count(need, "connection"), amount.Grouped(free), limit)
	}
	return nil
}

// lockTable is how many locks the server's shared table is sized for, and
// max_locks_per_transaction, from which that follows.
func lockTable(ctx context.Context, tx pgx.Tx) (size, each int, err error) {
	err = tx.QueryRow(ctx, `
		select current_setting('max_locks_per_transaction')::int
		       * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int),
		       current_setting('max_locks_per_transaction')::int`).Scan(&size, &each)
	if err != nil {
		return 0, 0, fmt.Errorf("ask the server for the size of its lock table: %w", err)
	}
	return size, each, nil
}

// checkLocks compares the relations that the clients lock at a time with what
// the server's shared lock table is sized for.
func checkLocks(ctx context.Context, tx pgx.Tx, need int) error {
	size, each, err := lockTable(ctx, tx)
	if err != nil {
		return err
	}
	if need > size {
		return fmt.Errorf("the clients lock up to %d partitions and indexes at a time, the server's lock table holds %d "+
			"(max_locks_per_transaction = %d): raise that, or use fewer clients (-c) or --partitions, or a strategy that addresses one partition", need, size, each)
	}
	return nil
}
