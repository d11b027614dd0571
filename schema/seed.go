package schema

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// SeedReport says what seeding did and where its time went.
type SeedReport struct {
	Orders int64
	// Load, Index and Vacuum are the phases of Total.
	Load, Index, Vacuum, Total time.Duration
	// Connections is the number that loaded side by side.
	Connections int
}

const (
	// loaders is the number of connections of a large load: its share of the
	// server is bounded by the lock on extending the table beyond a few.
	loaders = 4
	// smallLoad is the number of orders below which connecting again costs
	// more than a second loader saves.
	smallLoad = 50_000
)

// Seed fills the queue that Create made with o, and makes it ready: orders
// 1 … o.Orders with order_id = md5(seed || ':' || n), then the indexes, then
// VACUUM and ANALYZE, so that neither plans nor autovacuum change in the
// middle of a run. progress, which may be nil, is told the number of orders
// sent so far, by one goroutine at a time.
//
// When ctx ends or an error occurs the tables stay behind, marked as not
// seeded; Create replaces them.
func Seed(ctx context.Context, connect Connect, o Options, progress func(done, total int64)) (SeedReport, error) {
	start := time.Now()
	o, err := o.Normalize()
	if err != nil {
		return SeedReport{}, err
	}
	w, err := lookup(o.Workload)
	if err != nil {
		return SeedReport{}, err
	}
	conn, err := connect(ctx)
	if err != nil {
		return SeedReport{}, fmt.Errorf("connect to seed: %w", err)
	}
	defer closeConn(ctx, conn)
	if o.Schema, err = resolveSchema(ctx, conn, o.Schema); err != nil {
		return SeedReport{}, err
	}
	if err := seedable(ctx, conn, w, o); err != nil {
		return SeedReport{}, err
	}

	s := &seeder{w: w, o: o, progress: progress, conns: []*pgx.Conn{conn}}
	if o.Orders >= smallLoad {
		for len(s.conns) < loaders {
			c, err := connect(ctx)
			if err != nil {
				return SeedReport{}, fmt.Errorf("connect to seed: %w", err)
			}
			defer closeConn(ctx, c)
			s.conns = append(s.conns, c)
		}
	}
	report := SeedReport{Orders: o.Orders, Connections: len(s.conns)}
	for _, phase := range []struct {
		took *time.Duration
		do   func(context.Context) error
	}{{&report.Load, s.load}, {&report.Index, s.index}, {&report.Vacuum, s.finish}} {
		begin := time.Now()
		if err := phase.do(ctx); err != nil {
			return report, fmt.Errorf("seed %s in schema %q: %w", w.queue, o.Schema, explain(err, o.Schema))
		}
		*phase.took = time.Since(begin)
	}
	report.Total = time.Since(start)
	return report, nil
}

// seedable checks that the tables are fresh and were made with these options.
func seedable(ctx context.Context, conn *pgx.Conn, w *workload, o Options) error {
	made, err := Inspect(ctx, conn, o.Schema, w.name)
	switch {
	case err != nil:
		return err
	case made == nil:
		return fmt.Errorf("there is no queue of the workload %q in schema %q: make it with \"qbench init\"", w.name, o.Schema)
	case made.Seeded:
		return fmt.Errorf("the queue in schema %q is seeded already: make it anew with \"qbench init\"", o.Schema)
	case !reflect.DeepEqual(made.Options, o):
		return fmt.Errorf("the queue in schema %q was made with other options: make it anew with \"qbench init\"", o.Schema)
	}
	return nil
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	// Cancelled or not, the server should hear of the end.
	_ = conn.Close(context.WithoutCancel(ctx))
}

type seeder struct {
	w        *workload
	o        Options
	conns    []*pgx.Conn
	progress func(done, total int64)
}

// load copies the orders in, each connection in one transaction.
func (s *seeder) load(ctx context.Context) error {
	var next, done atomic.Int64
	var mu sync.Mutex
	take := func() (Range, bool) {
		last := next.Add(blockSize)
		r := Range{First: last - blockSize + 1, Last: min(last, s.o.Orders)}
		if r.First > r.Last {
			return Range{}, false
		}
		sent := done.Add(r.Last - r.First + 1)
		if s.progress != nil {
			mu.Lock()
			defer mu.Unlock()
			s.progress(sent, s.o.Orders)
		}
		return r, true
	}
	jobs := make([]func(context.Context) error, len(s.conns))
	for i, conn := range s.conns {
		jobs[i] = func(ctx context.Context) error {
			return s.inCatalog(ctx, conn, func(tx pgx.Tx) error {
				clock := serverClock
				if s.w.zoned {
					clock = utcClock
				}
				now, err := clock(ctx, tx)
				if err != nil {
					return err
				}
				columns := s.w.columns(s.o)
				rows := newCopyRows(s.o.Seed, len(columns), s.w.row(s.o), take, now)
				_, err = tx.Conn().PgConn().CopyFrom(ctx, rows, fmt.Sprintf("copy %s (%s) from stdin (format binary)", qualified(s.o.Schema, s.w.queue), strings.Join(columns, ", ")))
				return err
			})
		}
	}
	return parallel(ctx, jobs)
}

// serverClock returns the server's local time, which now() would store in a
// timestamp column, advanced by this machine's clock.
func serverClock(ctx context.Context, q querier) (func() time.Time, error) {
	return readClock(ctx, q, "clock_timestamp()::timestamp")
}

// utcClock is a serverClock in UTC, which is what a timestamptz column stores.
func utcClock(ctx context.Context, q querier) (func() time.Time, error) {
	return readClock(ctx, q, "clock_timestamp() at time zone 'UTC'")
}

func readClock(ctx context.Context, q querier, expression string) (func() time.Time, error) {
	var base time.Time
	if err := q.QueryRow(ctx, "select "+expression).Scan(&base); err != nil {
		return nil, fmt.Errorf("ask the server for its time: %w", err)
	}
	start := time.Now()
	return func() time.Time { return base.Add(time.Since(start)) }, nil
}

// index builds the indexes, each share on a connection of its own.
func (s *seeder) index(ctx context.Context) error {
	err := s.share(ctx, s.w.indexes(s.o), func(ctx context.Context, conn *pgx.Conn, statements []string) error {
		return s.inCatalog(ctx, conn, func(tx pgx.Tx) error { return execAll(ctx, tx, statements) })
	})
	if err != nil {
		return err
	}
	return s.inCatalog(ctx, s.conns[0], func(tx pgx.Tx) error { return execAll(ctx, tx, s.w.finish(s.o)) })
}

// finish vacuums, which cannot be done in a transaction, and then writes the
// mark that says that the queue is complete. This last commit is durable, and
// with it all that came before.
//
// A queue without orders is left to PostgreSQL's assumption that a new table
// has ten pages. Had it been analyzed, its plans would be those of a table that
// stays empty: producers fill it, and each client goes on scanning and sorting
// the whole of it, dead rows too, for one order.
func (s *seeder) finish(ctx context.Context) error {
	if s.o.Orders > 0 {
		err := s.share(ctx, s.w.vacuum(s.o), func(ctx context.Context, conn *pgx.Conn, tables []string) error {
			_, err := conn.Exec(ctx, vacuumSQL(s.o.Schema, tables))
			return err
		})
		if err != nil {
			return err
		}
	}
	return InCatalog(ctx, s.conns[0], pgx.TxOptions{}, func(tx pgx.Tx) error {
		made := Made{Options: s.o, Seeded: true}
		if s.o.Layout == Partitioned {
			parts, err := partitionCounts(ctx, tx, s.o)
			if err != nil {
				return err
			}
			for _, p := range parts {
				made.PartitionOrders = append(made.PartitionOrders, p.seeded)
			}
		}
		if _, err := tx.Exec(ctx, "select setval(pg_get_serial_sequence($1, 'id'), greatest($2::int8, 1), $2::int8 > 0)", qualified(s.o.Schema, s.w.queue), s.o.Orders); err != nil {
			return err
		}
		return setMark(ctx, tx, s.w, made)
	})
}

// vacuumSQL names the partitions one by one, to share them out. Their parent
// is not analyzed: PostgreSQL would analyze all partitions with it once more,
// and every plan on the queue is made from the partitions' statistics.
func vacuumSQL(schema string, tables []string) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = qualified(schema, t)
	}
	return "vacuum (analyze) " + strings.Join(names, ", ")
}

// inCatalog is InCatalog with the settings of a bulk load: commits
// need not wait for the disk before the last one does, and an index of a
// million orders is sorted in memory.
func (s *seeder) inCatalog(ctx context.Context, conn *pgx.Conn, f func(tx pgx.Tx) error) error {
	return InCatalog(ctx, conn, pgx.TxOptions{}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			select set_config('synchronous_commit', 'off', true),
			       set_config('maintenance_work_mem', greatest(256 * 1024, (select setting::int from pg_settings where name = 'maintenance_work_mem'))::text, true)`)
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// share gives each list to a connection; with fewer connections than lists a
// connection takes several, one after the other.
func (s *seeder) share(ctx context.Context, lists [][]string, do func(context.Context, *pgx.Conn, []string) error) error {
	jobs := make([]func(context.Context) error, min(len(s.conns), len(lists)))
	for i := range jobs {
		jobs[i] = func(ctx context.Context) error {
			for j := i; j < len(lists); j += len(jobs) {
				if err := do(ctx, s.conns[i], lists[j]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return parallel(ctx, jobs)
}

func execAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// parallel runs the jobs side by side. The first error cancels the others and
// is returned; theirs would only say that they were cancelled.
func parallel(ctx context.Context, jobs []func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Go(func() {
			if err := job(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
