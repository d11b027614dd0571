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
// are somebody else's, a connection pooler that it cannot work behind.
func (t *Target) Check(ctx context.Context, specs []Spec) error {
	conn, err := t.Connect(ctx)
	if err != nil {
		return err
	}
	defer closeConn(ctx, conn)
	clients, locks, lasting := 0, 0, false
	for _, s := range specs {
		lasting = lasting || !s.Load.Connect
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
			if err := checkConnections(ctx, tx, clients, lasting); err != nil {
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
			n, _, err := freeConnections(ctx, tx, true)
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
// says which limit decides that and how to raise it; without lasting the
// server's alone.
func freeConnections(ctx context.Context, tx pgx.Tx, lasting bool) (free int, limit connectionLimit, err error) {
	var server, reserved, used, role, roleUsed, database, databaseUsed int
	// Rows of other roles hide their backend's type; those of background
	// processes have no database. The limits of roles and databases, -1 for
	// none, do not bind superusers.
	err = tx.QueryRow(ctx, `
		select current_setting('max_connections')::int,
		       case when r.rolsuper then 0
		            else current_setting('superuser_reserved_connections')::int
		               + coalesce(current_setting('reserved_connections', true)::int, 0) end,
		       a.used,
		       case when r.rolsuper then -1 else r.rolconnlimit end, a.by_role,
		       case when r.rolsuper then -1 else d.datconnlimit end, a.in_database
		from pg_roles r, pg_database d, (
		  select count(*) as used,
		         count(*) filter (where usename = session_user) as by_role,
		         count(*) filter (where datname = current_database()) as in_database
		  from pg_stat_activity
		  where datid is not null and coalesce(backend_type, 'client backend') = 'client backend'
		    and pid <> pg_backend_pid()) a
		where r.rolname = session_user and d.datname = current_database()`).
		Scan(&server, &reserved, &used, &role, &roleUsed, &database, &databaseUsed)
	if err != nil {
		return 0, limit, fmt.Errorf("ask the server for its free connections: %w", err)
	}
	free, limit = server-reserved-used, connectionLimit{fmt.Sprintf("max_connections = %d", server), "max_connections on the server"}
	if !lasting {
		role, database = -1, -1
	}
	if n := role - roleUsed; role >= 0 && n < free {
		free, limit = n, connectionLimit{fmt.Sprintf("the role's connection limit is %d", role), "the role's limit (alter role … connection limit)"}
	}
	if n := database - databaseUsed; database >= 0 && n < free {
		free, limit = n, connectionLimit{fmt.Sprintf("the database's connection limit is %d", database), "the database's limit (alter database … connection limit)"}
	}
	return max(0, free), limit, nil
}

// connectionLimit is a limit on connections and what to raise, in words.
type connectionLimit struct{ is, raise string }

// checkConnections compares the connections that the clients need with those
// that are free. Those that do not last meet the limits of the role and of the
// database under load (-C), where that belongs in the result.
func checkConnections(ctx context.Context, tx pgx.Tx, clients int, lasting bool) error {
	free, limit, err := freeConnections(ctx, tx, lasting)
	if err != nil {
		return err
	}
	if need := clients + ownConnections; need > free {
		return fmt.Errorf("%s need %s, %s are free (%s): use fewer clients (-c), or raise %s",
			amount.Count(clients, "client"), amount.Count(need, "connection"), amount.Grouped(free), limit.is, limit.raise)
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
