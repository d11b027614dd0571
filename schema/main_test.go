package schema

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// fixture is a connection to the test server and a schema of the test's own.
type fixture struct {
	*testing.T
	conn    *pgx.Conn
	connect Connect
	schema  string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dsn, schema := pgtest.Schema(t)
	f := &fixture{T: t, schema: schema}
	f.connect = func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, dsn) }
	var err error
	if f.conn, err = f.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.conn.Close(context.Background()) })
	return f
}

// options are those of a small queue in the test's schema.
func (f *fixture) options(layout string) Options {
	o := Options{Workload: "orders", Layout: layout, Schema: f.schema, Orders: 200, Seed: 42}
	if layout == Partitioned {
		o.Partitions = 4
	}
	return o
}

func (f *fixture) create(o Options) {
	f.Helper()
	if err := Create(f.Context(), f.conn, o); err != nil {
		f.Fatal(err)
	}
}

// make creates and seeds.
func (f *fixture) make(o Options) *Made {
	f.Helper()
	f.create(o)
	if _, err := Seed(f.Context(), f.connect, o, nil); err != nil {
		f.Fatal(err)
	}
	return f.inspect()
}

func (f *fixture) inspect() *Made {
	f.Helper()
	made, err := Inspect(f.Context(), f.conn, f.schema, "orders")
	if err != nil {
		f.Fatal(err)
	}
	return made
}

// inSchema runs do in a transaction whose names are those of the test's schema.
func (f *fixture) inSchema(do func(tx pgx.Tx) error) error {
	return pgx.BeginFunc(f.Context(), f.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(f.Context(), "set local search_path = "+pgx.Identifier{f.schema}.Sanitize()); err != nil {
			return err
		}
		return do(tx)
	})
}

// exec runs SQL with the test's schema as the current one.
func (f *fixture) exec(sql string, args ...any) {
	f.Helper()
	err := f.inSchema(func(tx pgx.Tx) error {
		_, err := tx.Exec(f.Context(), sql, args...)
		return err
	})
	if err != nil {
		f.Fatalf("%s: %v", sql, err)
	}
}

// session runs SQL outside of any transaction.
func (f *fixture) session(sql string) {
	f.Helper()
	if _, err := f.conn.Exec(f.Context(), sql); err != nil {
		f.Fatalf("%s: %v", sql, err)
	}
}

// texts runs a query with one column and returns its values.
func (f *fixture) texts(sql string, args ...any) (values []string) {
	f.Helper()
	err := f.inSchema(func(tx pgx.Tx) error {
		rows, err := tx.Query(f.Context(), sql, args...)
		if err != nil {
			return err
		}
		values, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		f.Fatalf("%s: %v", sql, err)
	}
	return values
}

func (f *fixture) audit(made *Made, clients *ClientCounts) *result.Audit {
	f.Helper()
	a, err := AuditTables(f.Context(), f.conn, made, clients)
	if err != nil {
		f.Fatal(err)
	}
	return a
}

// move does by hand what a client does n times.
const move = `
	with taken as (
	  delete from t_order_q where id in (select id from t_order_q order by id limit 50)
	  returning order_id, cts)
	insert into t_order_u (order_id, cts, uts, status) select order_id, cts, now(), 1 from taken`
