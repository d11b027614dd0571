package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// target is a schema of its own on the tests' server.
func target(t *testing.T) *Target {
	t.Helper()
	dsn, name := pgtest.Schema(t)
	tg, err := NewTarget(dsn, name)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

func mix(t *testing.T, names ...string) *Mix {
	t.Helper()
	var parts []Part
	for _, n := range names {
		parts = append(parts, Part{n, 1})
	}
	m, err := LoadMix(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// file writes a script and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.sql")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// small is a run of 16 clients on 1,000 orders that ends with the queue.
func small(m *Mix) Spec {
	return Spec{
		Mix: m, Clients: 16, Repeat: 1,
		Queue: schema.Options{Orders: 1000, Partitions: 8, Seed: 7},
		Load:  runner.Config{Threads: 2, Mode: runner.Prepared, MaxTries: 1, Seed: 7},
	}
}

func execute(t *testing.T, tg *Target, s Spec, hooks Hooks) *result.Run {
	t.Helper()
	res, err := tg.Run(t.Context(), t.Context(), s, hooks)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// query reads one number from the schema of the tables.
func query(t *testing.T, tg *Target, sql string) (n int64) {
	t.Helper()
	withConn(t, tg, func(conn *pgx.Conn) {
		if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
	})
	return n
}

func withConn(t *testing.T, tg *Target, do func(*pgx.Conn)) {
	t.Helper()
	conn, err := tg.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t.Context(), conn)
	if tg.Schema != "" {
		if _, err := conn.Exec(t.Context(), "set search_path = "+pgx.Identifier{tg.Schema}.Sanitize()); err != nil {
			t.Fatal(err)
		}
	}
	do(conn)
}

// Every strategy, in every layout it fits and every query mode, moves each
// order exactly once.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios.List() {
		if s.Workload != "orders" {
			continue
		}
		for _, layout := range s.Layouts {
			for _, mode := range runner.Modes {
				t.Run(fmt.Sprintf("%s/%s/%s", s.Name, layout, mode), func(t *testing.T) {
					t.Parallel()
					tg := target(t)
					spec := small(mix(t, s.Name))
					spec.Queue.Layout, spec.Load.Mode = layout, mode
					spec.Load.MaxTries = 100
					res := execute(t, tg, spec, Hooks{})
					if res.AbortedClients > 0 {
						t.Fatalf("%d clients were aborted: %v", res.AbortedClients, res.Errors)
					}
					if !res.Drained || res.Orders != 1000 || res.Acknowledged != 1000 {
						t.Errorf("drained %v, %d orders, %d acknowledged, want all 1000", res.Drained, res.Orders, res.Acknowledged)
					}
					if a := res.Audit; a == nil || !a.OK || a.Processed != 1000 || a.Remaining != 0 {
						t.Errorf("audit: %+v", a)
					}
					if done := query(t, tg, "select count(distinct order_id) from t_order_u"); done != 1000 {
						t.Errorf("%d different orders in t_order_u, want 1000", done)
					}
					if (res.Partition != nil) != (layout == schema.Partitioned) {
						t.Errorf("partition use %+v in layout %s", res.Partition, layout)
					}
				})
			}
		}
	}
}

func TestResultSaysWhatWasRun(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "skip-locked-batch"))
	spec.Queue.Unlogged = true
	spec.Repeat, spec.ShowProgress = 3, true
	spec.Load.Variables = map[string]string{"batch": "50"}
	res := execute(t, target(t), spec, Hooks{})
	if res.Strategy != "skip-locked-batch" || res.Workload != "orders" || res.Layout != schema.Unlogged || !res.Unlogged ||
		res.Repeat != 3 || res.Params.Map()["batch"] != "50" || res.Summary == "" || !res.ShowProgress {
		t.Errorf("%+v", res)
	}
	if res.Transactions-res.Empty > 40 {
		t.Errorf("%d transactions moved 1000 orders: the batch of 50 was not passed on", res.Transactions-res.Empty)
	}
}

// A lost backend leaves the run incomplete, and its books in order.
func TestKilledBackend(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Orders = 20_000
	spec.Load.Interval = 10 * time.Millisecond
	var once sync.Once
	kill := func(result.Tick) {
		once.Do(func() {
			n := query(t, tg, `select count(*) from (
				select pg_terminate_backend(pid) from pg_stat_activity
				where query like '%t_order_q%' and pid <> pg_backend_pid() and application_name = 'qbench'
				  and exists (select from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace s on s.oid = c.relnamespace
				              where l.pid = pg_stat_activity.pid and s.nspname = current_schema())
				limit 1) killed`)
			if n != 1 {
				t.Errorf("no client to kill")
			}
		})
	}
	res := execute(t, tg, spec, Hooks{Tick: kill})
	if res.AbortedClients != 1 || len(res.Errors) == 0 {
		t.Errorf("%d clients aborted (%v), want 1", res.AbortedClients, res.Errors)
	}
	if !res.Audit.OK {
		t.Errorf("audit: %v", res.Audit.Problems)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Orders = 20_000
	spec.Load.Interval = 10 * time.Millisecond
	stop, interrupt := context.WithCancel(t.Context())
	res, err := target(t).Run(t.Context(), stop, spec, Hooks{Tick: func(result.Tick) { interrupt() }})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Interrupted || res.Drained || res.Orders == 0 {
		t.Errorf("interrupted %v, drained %v, %d orders", res.Interrupted, res.Drained, res.Orders)
	}
	if !res.Audit.OK || res.Audit.Processed != res.Acknowledged {
		t.Errorf("audit: %+v", res.Audit)
	}
}

func TestStoppedBeforeTheClients(t *testing.T) {
	t.Parallel()
	stop, interrupt := context.WithCancel(t.Context())
	spec := small(mix(t, "skip-locked"))
	spec.Queue.Orders = 200_000
	res, err := target(t).Run(t.Context(), stop, spec, Hooks{Seeding: func(_, _ int64) { interrupt() }})
	if res != nil || !errors.Is(err, ErrStopped) {
		t.Errorf("got %v, %v, want ErrStopped", res, err)
	}
}

// The second signal waits for no client, and what was done is kept. That the clients are gone shows in
// the schema being dropped afterwards: they would hold its tables for an hour.
func TestEndedAtOnce(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, "for-update"))
	spec.Load.Variables = map[string]string{"work": "3600000000"}
	spec.Load.Interval = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	tg := target(t)
	res, err := tg.Run(ctx, t.Context(), spec, Hooks{Tick: func(result.Tick) { cancel() }})
	if err != nil || !res.Interrupted || res.Audit == nil || res.Audit.Made() || res.Audit.Reason == "" {
		t.Errorf("got %+v, %v, want what the load did, without an audit", res, err)
	}
}

func TestKeepData(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, "skip-locked"))
	spec.KeepData = true
	spec.Load.Transactions = 20
	for run := range 3 {
		res := execute(t, tg, spec, Hooks{})
		if !res.Audit.OK || res.Acknowledged != 320 || res.Audit.Processed != int64(320*(run+1)) {
			t.Errorf("run %d: %d acknowledged, audit %+v", run+1, res.Acknowledged, res.Audit)
		}
		if len(res.Intervals) > 0 && res.Intervals[len(res.Intervals)-1].Depth < 0 {
			t.Errorf("run %d: the depth is unknown", run+1)
		}
	}
	spec.Load.Transactions = 0
	if res := execute(t, tg, spec, Hooks{}); !res.Drained || res.Audit.Remaining != 0 || !res.Audit.OK {
		t.Errorf("drained %v, audit %+v", res.Drained, res.Audit)
	}
	_, err := tg.Run(t.Context(), t.Context(), spec, Hooks{})
	wantError(t, err, "is empty, so there is nothing to take: leave out --keep-data")

	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Queue.Layout = schema.Unlogged }, "was made with layout plain: leave out --layout"},
		{func(s *Spec) { s.Queue.Unlogged = true }, "was made with logged tables: leave out --unlogged"},
		{func(s *Spec) { s.Queue.Orders = 5 }, "was made with 1000 orders: leave out --orders"},
		{func(s *Spec) { s.Mix = mix(t, "partitioned") }, `does not fit the layout "plain"`},
	} {
		other := spec
		c.change(&other)
		wantError(t, tg.Check(t.Context(), []Spec{resolved(t, other)}), c.want)
		_, err := tg.Run(t.Context(), t.Context(), other, Hooks{})
		wantError(t, err, c.want)
	}
	if left := query(t, tg, "select count(*) from t_order_u"); left != 1000 {
		t.Errorf("%d orders done after refused runs, want 1000 as before", left)
	}
}

func resolved(t *testing.T, s Spec) Spec {
	t.Helper()
	s, err := s.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func TestScriptWithoutQueue(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, file(t, "\\set x :client_id + 1\nselect :x;\n")))
	spec.Load.Transactions = 5
	res := execute(t, tg, spec, Hooks{})
	if res.Transactions != 80 || res.Audit != nil || res.CountsOrders || res.Workload != "" {
		t.Errorf("%+v", res)
	}
	if n := query(t, tg, "select count(*) from pg_namespace where nspname = '"+tg.Schema+"'"); n != 0 {
		t.Errorf("a schema was made for a script that needs none")
	}
}

// A plain pgbench script on the queue's tables gets the tables, and an audit
// that no client's count enters.
func TestPlainScriptOnTheQueue(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, file(t, `with taken as (
  delete from t_order_q where id = (select id from t_order_q order by id limit 1 for update skip locked) returning order_id, cts)
insert into t_order_u (order_id, cts, uts, status) select order_id, cts, now(), 1 from taken;
`)))
	spec.Load.Transactions = 10
	res := execute(t, target(t), spec, Hooks{})
	if res.CountsOrders || res.Audit == nil || !res.Audit.OK || res.Audit.Processed == 0 {
		t.Errorf("audit %+v, counts orders: %v", res.Audit, res.CountsOrders)
	}
}

func TestAuditFails(t *testing.T) {
	t.Parallel()
	spec := small(mix(t, file(t, "-- qbench: orders\nselect 1 from t_order_q limit 1;\n")))
	spec.Load.Transactions = 10
	res := execute(t, target(t), spec, Hooks{})
	if res.Audit.OK || len(res.Audit.Problems) == 0 {
		t.Errorf("160 orders were claimed and none moved, but the audit says %+v", res.Audit)
	}
}

func TestSeveralScripts(t *testing.T) {
	t.Parallel()
	res := execute(t, target(t), small(mix(t, "skip-locked", "advisory-lock")), Hooks{})
	if res.Strategy != "skip-locked+advisory-lock" || len(res.Scripts) != 2 || !res.Audit.OK || !res.Drained {
		t.Errorf("%+v", res)
	}
	if sum := res.Scripts[0].Orders + res.Scripts[1].Orders; sum != 1000 {
		t.Errorf("the scripts moved %d orders, want 1000", sum)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tg := target(t)
	many := small(mix(t, "skip-locked"))
	many.Clients = 5000
	wantError(t, tg.Check(t.Context(), []Spec{resolved(t, many)}), "5,000 clients need 5,003 connections, ")

	locks := small(mix(t, "for-update"))
	locks.Queue.Layout, locks.Queue.Partitions, locks.Clients = schema.Partitioned, 1000, 100
	wantError(t, tg.Check(t.Context(), []Spec{resolved(t, locks)}), "raise that, or use fewer clients (-c) or --partitions")

	if err := tg.Check(t.Context(), []Spec{resolved(t, small(mix(t, "skip-locked")))}); err != nil {
		t.Error(err)
	}
	withConn(t, tg, func(conn *pgx.Conn) {
		name := pgx.Identifier{tg.Schema}.Sanitize()
		if _, err := conn.Exec(t.Context(), "create schema "+name+"; create table "+name+".t_order_q (id int); insert into "+name+".t_order_q values (1)"); err != nil {
			t.Fatal(err)
		}
	})
	spec := small(mix(t, "skip-locked"))
	wantError(t, tg.Check(t.Context(), []Spec{resolved(t, spec)}), "was not made by qbench and is left alone")
	_, err := tg.Run(t.Context(), t.Context(), spec, Hooks{})
	wantError(t, err, "was not made by qbench and is left alone")
	if n := query(t, tg, "select count(*) from t_order_q"); n != 1 {
		t.Errorf("the foreign table holds %d rows, want its 1", n)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	env, err := target(t).Environment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if env.ServerVersion == "" || env.Settings["fsync"] == "" || env.HostCores < 1 || env.HostMemory == 0 {
		t.Errorf("%+v", env)
	}
}
