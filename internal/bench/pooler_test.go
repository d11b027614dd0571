package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
	"qbench/runner"
	"qbench/schema"
)

// ownDatabase is a database of the test's own on the tests' server; its schema
// public is empty.
func ownDatabase(t *testing.T) (name, dsn string) {
	t.Helper()
	server, name := pgtest.Schema(t)
	do := func(sql string) {
		conn, err := pgx.Connect(context.Background(), server)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	do("create database " + name)
	t.Cleanup(func() { do("drop database " + name + " with (force)") })
	return name, server + " dbname=" + name
}

func newTarget(t *testing.T, dsn, schema string) *Target {
	t.Helper()
	tg, err := NewTarget(dsn, schema)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

const ignores = "ignore_startup_parameters = search_path"

// poolers are pgbouncer's settings and the query modes that work behind them.
var poolers = []struct {
	mode  string
	lines []string
	works []runner.Mode
	kind  pooling
}{
	{"session", nil, runner.Modes, sessionPooling},
	{"session", []string{ignores}, runner.Modes, sessionPooling},
	{"transaction", nil, []runner.Mode{runner.Simple, runner.Extended}, transactionPooling},
	{"transaction", []string{ignores}, []runner.Mode{runner.Simple, runner.Extended}, transactionPooling},
}

// Behind a pooler that drops the search_path, a run moves its own orders and
// not a row of the user's tables of the same names; and nothing of it is left
// on the pooler's connections.
func TestPoolersLeaveOthersAlone(t *testing.T) {
	t.Parallel()
	database, direct := ownDatabase(t)
	user := newTarget(t, direct, "public")
	withConn(t, user, func(conn *pgx.Conn) {
		_, err := conn.Exec(t.Context(), `
			create table t_order_q (id serial8 primary key, order_id uuid unique, cts timestamp not null);
			create table t_order_u (id serial8 primary key, order_id uuid unique, cts timestamp, uts timestamp, status int);
			insert into t_order_q (order_id, cts) select gen_random_uuid(), now() from generate_series(1, 5000)`)
		if err != nil {
			t.Fatal(err)
		}
	})
	const size = 12
	for i, p := range poolers {
		dsn := pgtest.Pgbouncer(t, database, p.mode, append(p.lines, fmt.Sprintf("default_pool_size = %d", size))...)
		for _, mode := range p.works {
			for _, how := range []string{"", "new connections", "a pool"} {
				name := strings.Join(append([]string{p.mode, string(mode), how}, p.lines...), " ")
				tg := newTarget(t, dsn, fmt.Sprintf("own_%d_%s", i, mode))
				spec := small(mix(t, "skip-locked"))
				spec.Queue.Orders, spec.Clients, spec.Load.Mode = 200, 4, mode
				switch how {
				case "new connections":
					spec.Load.Connect = true
				case "a pool":
					spec.Pool = 2
				}
				if err := tg.Check(t.Context(), []Spec{resolved(t, spec)}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				res := execute(t, tg, spec, Hooks{})
				if res.Orders != 200 || res.AbortedClients != 0 || res.Audit == nil || !res.Audit.OK {
					t.Errorf("%s: %d orders, %v, audit %+v", name, res.Orders, res.Errors, res.Audit)
				}
				if text := strings.Join(res.Warnings, " "); !strings.Contains(text, string(p.kind)) || !strings.Contains(text, "SET LOCAL search_path") {
					t.Errorf("%s: warnings %q", name, text)
				}
			}
		}
		if n := query(t, user, "select count(*) from t_order_q"); n != 5000 {
			t.Fatalf("%s %v: %d of the user's 5000 rows are left", p.mode, p.lines, n)
		}
		unchanged(t, dsn, direct, size)
	}
	if n := query(t, user, "select count(*) from t_order_u"); n != 0 {
		t.Errorf("%d rows in the user's other table", n)
	}
}

// A search_path of the database's passes every pooler, and costs the load
// nothing.
func TestSearchPathBehindASessionPooler(t *testing.T) {
	t.Parallel()
	database, direct := ownDatabase(t)
	withConn(t, newTarget(t, direct, ""), func(conn *pgx.Conn) {
		if _, err := conn.Exec(t.Context(), "alter database "+database+" set search_path = own, pg_temp"); err != nil {
			t.Fatal(err)
		}
	})
	tg := newTarget(t, pgtest.Pgbouncer(t, database, "session", ignores), "own")
	spec := small(mix(t, "claim-procedure"))
	spec.Queue.Orders, spec.Clients = 100, 4
	res := execute(t, tg, spec, Hooks{})
	if res.Orders != 100 || !res.Audit.OK {
		t.Errorf("%d orders, %v, audit %+v", res.Orders, res.Errors, res.Audit)
	}
	if text := strings.Join(res.Warnings, " "); !strings.Contains(text, "session pooling") || strings.Contains(text, "SET LOCAL") {
		t.Errorf("warnings %q", text)
	}
}

// What a user's own SQL changes is in the queue's schema behind a pooler too.
func TestSetupBehindATransactionPooler(t *testing.T) {
	t.Parallel()
	database, direct := ownDatabase(t)
	dsn := pgtest.Pgbouncer(t, database, "transaction", "default_pool_size = 5")
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Orders, spec.Clients, spec.Load.Mode = 100, 2, runner.Simple
	spec.Setup = &Setup{Name: "mine.sql", SQL: "create index mine on t_order_q (cts);\nalter table t_order_u set (fillfactor = 50)"}
	res := execute(t, newTarget(t, dsn, "own"), spec, Hooks{})
	if res.Orders != 100 || !res.Audit.OK {
		t.Errorf("%d orders, %v, audit %+v", res.Orders, res.Errors, res.Audit)
	}
	if n := query(t, newTarget(t, direct, "own"), "select count(*) from pg_indexes where schemaname = 'own' and indexname = 'mine'"); n != 1 {
		t.Errorf("%d indexes of the setup's", n)
	}
	unchanged(t, dsn, direct, 5)
	spec.Setup.SQL = "select 1;\nselect * from nowhere"
	_, err := newTarget(t, dsn, "own").Run(t.Context(), t.Context(), spec, Hooks{})
	wantError(t, err, "mine.sql:2")
}

// unchanged looks at all connections that a pooler has to the server.
func unchanged(t *testing.T, dsn, direct string, size int) {
	t.Helper()
	const state = `begin; select concat_ws(' ', current_setting('search_path'), current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('idle_in_transaction_session_timeout'), (select count(*) from pg_prepared_statements), (select count(*) from pg_listening_channels()))`
	fresh, err := pgconn.Connect(t.Context(), direct)
	if err != nil {
		t.Fatal(err)
	}
	defer closePgConn(t.Context(), fresh)
	look := func(conn *pgconn.PgConn) string {
		results, err := conn.Exec(t.Context(), state).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return string(results[1].Rows[0][0])
	}
	want := look(fresh)
	for range size { // all are held until the end, so that each is another
		conn, err := pgconn.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer closePgConn(t.Context(), conn)
		if got := look(conn); got != want {
			t.Errorf("a connection of the pooler was left with %s, a fresh one has %s", got, want)
		}
	}
}

// How a pooler hands out connections is found out whatever the order in which
// it does so and however few it has; the probe leaves no statement behind.
func TestPoolersAreDetected(t *testing.T) {
	t.Parallel()
	detect := func(dsn string) (pooling, *Target) {
		tg := newTarget(t, dsn, "")
		got, err := tg.pooling(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got, tg
	}
	if got, _ := detect(pgtest.DSN(t)); got != "" {
		t.Errorf("a server: %q", got)
	}
	for _, robin := range []string{"server_round_robin = 0", "server_round_robin = 1"} {
		for _, size := range []int{1, 2, 3} {
			lines := []string{robin, fmt.Sprintf("default_pool_size = %d", size)}
			dsn := pgtest.Pgbouncer(t, "postgres", "transaction", lines...)
			got, tg := detect(dsn)
			if got != transactionPooling {
				t.Errorf("transaction, %v: %q", lines, got)
			}
			if size == 1 {
				continue // a probe for prepared statements needs two
			}
			if kept, err := tg.keepsPrepared(t.Context()); kept || err != nil {
				t.Errorf("transaction, %v: keeps prepared statements: %v, %v", lines, kept, err)
			}
			unchanged(t, dsn, pgtest.DSN(t), size)
			if got, _ := detect(pgtest.Pgbouncer(t, "postgres", "session", lines...)); got != sessionPooling {
				t.Errorf("session, %v: %q", lines, got)
			}
		}
	}
}

// What cannot work behind a pooler is refused before anything is made.
func TestPoolerRefusals(t *testing.T) {
	t.Parallel()
	database, direct := ownDatabase(t)
	lines := []string{ignores, "default_pool_size = 10"}
	dsns := map[string]string{}
	for _, mode := range []string{"statement", "transaction", "session"} {
		dsns[mode] = pgtest.Pgbouncer(t, database, mode, lines...)
	}
	listening := small(mix(t, "skip-locked"))
	listening.Load.Mode, listening.Load.Duration = runner.Simple, time.Second
	listening.Feed = &Feed{Clients: 1, Batch: 1, Poll: time.Second, Notify: true}
	with := func(name string, mode runner.Mode) Spec {
		s := small(mix(t, name))
		s.Load.Mode = mode
		return s
	}
	session := file(t, "update t_order_q set id = id;\nlisten news;")
	for _, c := range []struct {
		pooler string
		spec   Spec
		want   []string
	}{
		{"statement", with("skip-locked", runner.Simple), []string{"pools statements", "pool_mode = transaction or session"}},
		{"transaction", with("skip-locked", runner.Prepared), []string{"-M prepared", "-M simple or -M extended", "max_prepared_statements in pgbouncer 1.21"}},
		{"transaction", with("skip-locked", runner.Pipelined), []string{"-M pipelined", "max_prepared_statements"}},
		{"transaction", listening, []string{"--notify needs sessions that listen", "leave out --notify"}},
		{"transaction", with("partitioned-function", runner.Simple), []string{"dyn_pre_orders prepares statements", "pool_mode = session"}},
		{"transaction", with(session, runner.Simple), []string{"keeps state in its session (listen news)"}},
		{"transaction", with("claim-procedure", runner.Simple), []string{"ends transactions on the server (call process_queue", "alter role"}},
		{"session", with("claim-procedure", runner.Simple), []string{"ends transactions on the server", "has to be set in each of them"}},
	} {
		tg := newTarget(t, dsns[c.pooler], "refused")
		_, err := tg.Run(t.Context(), t.Context(), c.spec, Hooks{})
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s pooling, %s: error %v, want %q", c.pooler, c.spec.Mix.Name, err, want)
			}
		}
	}
	if n := query(t, newTarget(t, direct, "public"), "select count(*) from pg_namespace where nspname = 'refused'"); n != 0 {
		t.Error("a refused run made its schema")
	}
}

// Where the names of a connection mean other tables, it is not used.
func TestConnectionsAreVerified(t *testing.T) {
	t.Parallel()
	ours, others := target(t), target(t)
	var id *schema.Identity
	for _, tg := range []*Target{ours, others} {
		withConn(t, tg, func(conn *pgx.Conn) {
			o := schema.Options{Workload: "orders", Orders: 10, Seed: 1}
			if err := tg.Make(t.Context(), conn, o, Hooks{}); err != nil {
				t.Fatal(err)
			}
			made, err := schema.Inspect(t.Context(), conn, tg.Schema, "orders")
			if err != nil {
				t.Fatal(err)
			}
			if tg == ours {
				if id, err = schema.Identify(t.Context(), conn, made); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	path := func(tg *Target) string { return searchPath(tg.Schema, "") }
	for _, good := range [][2]string{{path(ours), ""}, {"", path(ours)}, {path(others), path(ours)}} {
		conn, err := (&run{target: ours}).connector(good[0], good[1], id, true)(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", good, err)
		}
		closePgConn(t.Context(), conn)
	}
	for _, patient := range []bool{true, false} {
		for _, bad := range [][2]string{{path(others), ""}, {path(ours), path(others)}} {
			_, err := (&run{target: ours}).connector(bad[0], bad[1], id, patient)(t.Context())
			for _, want := range []string{"refused before any row was touched", "t_order_q means " + others.Schema + ".t_order_q, not t_order_q in schema", "alter role"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q: error %v, want %q", bad, err, want)
				}
			}
		}
		if _, err := (&run{target: ours}).connector("", "", id, patient)(t.Context()); err == nil || !strings.Contains(err.Error(), "t_order_q means ") {
			t.Errorf("the role's search_path: %v", err)
		}
	}
}

func TestFirstSchema(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "", "a": "a", " A , b": "a", `"A", b`: "A", `"a,b", c`: "a,b", `"a""b"`: `a"b`, `""`: "", `"$user", public`: "$user", `"a`: "a",
	} {
		if got := firstSchema(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestStatementsThatOutliveTheirTransaction(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"listen x": true, "prepare p as select 1": true, "prepare p (int) as select $1": true, "prepare transaction 'x'": false,
		"execute p": true, "set work_mem = 1": true, "SET SESSION work_mem TO 1": true, "set a.b = 1": true, "set local work_mem = 1": false,
		"set transaction isolation level serializable": false, "update t set a = 1": false, "create temp table x ()": true,
		"create temporary sequence x": true, "create table temp ()": false, "select pg_advisory_lock(1)": true,
		"select pg_try_advisory_xact_lock(1)": false, "declare c cursor with hold for select 1": true, "declare c cursor for select 1": false,
		"/* x */ listen x": true, "begin; listen x": true, "select 'listen'": false,
	} {
		if got := mix(t, file(t, sql+";")).findStatement(outlives) != ""; got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
}
