package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"qbench/internal/pgserver/pgtest"
	"qbench/runner"
	"qbench/schema"
)

// Two runs in one schema: the second is refused before it touches anything, and
// so is everything else that would.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, "skip-locked"))
	var second error
	var rows int64
	hooks := Hooks{Running: func(Spec) {
		_, second = tg.Run(t.Context(), t.Context(), spec, Hooks{})
		rows = query(t, tg, "select count(*) from t_order_q")
	}}
	res := execute(t, tg, spec, hooks)
	var use *InUseError
	if !errors.As(second, &use) || use.Holder.PID == 0 || use.Holder.Since.IsZero() {
		t.Fatalf("the second run: %v", second)
	}
	text := second.Error()
	for _, want := range []string{"is in use by another qbench run since ", fmt.Sprintf("(process %d on ", os.Getpid()), "server process ", "--schema-name"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if rows != 1000 || !res.Audit.OK {
		t.Errorf("%d orders left by the second run; audit %+v", rows, res.Audit)
	}
	// It is free again as soon as Run has returned.
	execute(t, tg, spec, Hooks{})
}

// The lock is one of the schema: another one's runs go on.
func TestLockIsOfASchema(t *testing.T) {
	t.Parallel()
	a, b := target(t), target(t)
	lock, err := a.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release(t.Context())
	execute(t, b, small(mix(t, "skip-locked")), Hooks{})
}

// The transaction of the lock has no snapshot and no number, so that it holds
// back no VACUUM.
func TestLockHoldsBackNoVacuum(t *testing.T) {
	t.Parallel()
	_, tg := privateTarget(t, "default_transaction_isolation=serializable", "autovacuum=off")
	withConn(t, tg, func(conn *pgx.Conn) {
		exec := func(sql string) {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		exec("create table public.v (a int)")
		exec("insert into public.v select generate_series(1, 1000)")
		lock, err := tg.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Release(t.Context())
		var xmin, xid *string
		var state string
		holder, ok, err := tg.Holder(t.Context(), conn)
		if err != nil || !ok {
			t.Fatalf("%+v, %v, %v", holder, ok, err)
		}
		err = conn.QueryRow(t.Context(), "select backend_xmin::text, backend_xid::text, state from pg_stat_activity where pid = $1", holder.PID).Scan(&xmin, &xid, &state)
		if err != nil || xmin != nil || xid != nil || state != "idle in transaction" {
			t.Errorf("xmin %v, xid %v, state %q, %v", xmin, xid, state, err)
		}
		exec("delete from public.v")
		exec("vacuum public.v")
		// What was removed is no longer in the file: it is cut off where all is empty.
		var size int64
		if err := conn.QueryRow(t.Context(), "select pg_relation_size('public.v')").Scan(&size); err != nil || size != 0 {
			t.Errorf("%d bytes left, %v", size, err)
		}
	})
}

// A lock whose connection is lost is taken again before the audit; where
// another command was faster, the run proves nothing.
func TestLockLost(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint("taken by another ", taken), func(t *testing.T) {
			t.Parallel()
			tg := target(t)
			spec := small(mix(t, "skip-locked"))
			hooks := Hooks{Running: func(Spec) {
				withConn(t, tg, func(conn *pgx.Conn) {
					holder, ok, err := tg.Holder(t.Context(), conn)
					if err != nil || !ok {
						t.Fatalf("%+v, %v, %v", holder, ok, err)
					}
					if _, err := conn.Exec(t.Context(), "select pg_terminate_backend($1, 60000)", holder.PID); err != nil {
						t.Fatal(err)
					}
				})
				if !taken {
					return
				}
				lock, err := tg.Lock(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := lock.conn.PgConn().Exec(t.Context(), "set local application_name = 'another'").ReadAll(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { lock.Release(context.Background()) })
			}}
			res := execute(t, tg, spec, hooks)
			if !taken && !res.Audit.OK {
				t.Errorf("audit %+v", res.Audit)
			}
			if taken && (res.Audit.Made() || !strings.Contains(res.Audit.Reason, "the connection that held the run lock was lost, and then schema ")) {
				t.Errorf("audit %+v", res.Audit)
			}
		})
	}
}

// A queue that another run has replaced while the lock was lost is not the one
// that the run's counts are of.
func TestQueueReplacedDuringRun(t *testing.T) {
	t.Parallel()
	tg := target(t)
	hooks := Hooks{Running: func(Spec) {
		withConn(t, tg, func(conn *pgx.Conn) {
			if err := tg.Make(t.Context(), conn, schema.Options{Workload: "orders", Layout: schema.Plain, Orders: 1000, Seed: 7}, Hooks{}); err != nil {
				t.Fatal(err)
			}
		})
	}}
	res := execute(t, tg, small(mix(t, "skip-locked")), hooks)
	if res.Audit.Made() || !strings.Contains(res.Audit.Reason, schema.ErrReplaced.Error()) {
		t.Errorf("audit %+v", res.Audit)
	}
}

// A server process that a client has left behind is waited for and then
// terminated: it may still commit.
func TestBackendLeftBehind(t *testing.T) {
	t.Parallel()
	tg := target(t)
	res := execute(t, tg, small(mix(t, "skip-locked")), Hooks{})
	if !res.Audit.OK {
		t.Fatalf("audit %+v", res.Audit)
	}
	spec, err := small(mix(t, "skip-locked")).Resolve()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	r := &run{target: tg, spec: spec, hooks: Hooks{Waiting: func(what string) { said = append(said, what) }}}
	r.spec.RecoveryTimeout = 1
	withConn(t, tg, func(conn *pgx.Conn) {
		pc, err := r.backends.record(func(ctx context.Context) (*pgconn.PgConn, error) { return tg.dial(ctx, "") })(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pid := pc.PID()
		// Cut off in the middle of a statement: the server reads nothing until it has ended.
		pc.Frontend().SendQuery(&pgproto3.Query{String: "select pg_sleep(3600)"})
		if err := pc.Frontend().Flush(); err != nil {
			t.Fatal(err)
		}
		for active := false; !active; {
			if err := conn.QueryRow(t.Context(), "select coalesce(bool_or(wait_event = 'PgSleep'), false) from pg_stat_activity where pid = $1", pid).Scan(&active); err != nil {
				t.Fatal(err)
			}
		}
		if err := pc.Conn().Close(); err != nil {
			t.Fatal(err)
		}
		list, err := r.backends.find(t.Context(), conn, 0)
		if err != nil || len(list) != 1 || list[0].PID != int32(pid) {
			t.Fatalf("%v, %v", list, err)
		}
		// One with that ID that began at another time is not the load's.
		if list, err := r.backends.find(t.Context(), conn, 3*clockSlack); err != nil || len(list) != 0 {
			t.Fatalf("%v, %v", list, err)
		}
		reason, err := r.settle(t.Context(), conn)
		if err != nil || reason != "" {
			t.Fatalf("%q, %v", reason, err)
		}
		if len(said) == 0 || !strings.Contains(said[len(said)-1], fmt.Sprintf("server process %d (active) of the load did not end within 1ns and is terminated", pid)) {
			t.Errorf("said %q", said)
		}
		var there bool
		if err := conn.QueryRow(t.Context(), "select exists (select from pg_stat_activity where pid = $1)", pid).Scan(&there); err != nil || there {
			t.Errorf("server process %d is still there: %v, %v", pid, there, err)
		}
	})
}

// A list of backends is bounded: the oldest make room.
func TestBackendsAreBounded(t *testing.T) {
	t.Parallel()
	var b backends
	for i := range maxBackends + 10 {
		b.add(backend{pid: uint32(i)})
	}
	if len(b.list) != maxBackends || b.list[9].pid != maxBackends+9 || b.list[10].pid != 10 {
		t.Errorf("%d backends, %v, %v", len(b.list), b.list[9], b.list[10])
	}
}

// --keep-data where there is nothing to keep makes no empty queue.
func TestNothingToKeep(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec, err := Spec{Mix: mix(t, "skip-locked"), Clients: 1, KeepData: true, Load: runner.Config{Threads: 1, Mode: runner.Prepared, MaxTries: 1, Transactions: 1}}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{tg.Check(t.Context(), []Spec{spec}), func() error { _, err := tg.Run(t.Context(), t.Context(), spec, Hooks{}); return err }()} {
		if err == nil || !strings.HasPrefix(err.Error(), `there is no queue of the workload "orders" in schema `) {
			t.Errorf("%v", err)
		}
	}
	if n := query(t, tg, "select count(*) from pg_namespace where nspname = '"+tg.Schema+"'"); n != 0 {
		t.Error("the schema was made")
	}
}

// Behind a pooler in transaction mode the lock holds, and since the clients'
// process IDs are the pooler's, open transactions on the tables are waited for.
func TestLockBehindPooler(t *testing.T) {
	t.Parallel()
	database, direct := ownDatabase(t)
	pooled := newTarget(t, pgtest.Pgbouncer(t, database, "transaction", "default_pool_size = 8"), "q")
	tg := newTarget(t, direct, "q")
	for _, held := range []bool{false, true} {
		var second error
		conn, err := tg.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hooks := Hooks{Running: func(Spec) {
			_, second = tg.Lock(t.Context())
			if held {
				if _, err := conn.Exec(t.Context(), "begin; lock table q.t_order_q in row share mode"); err != nil {
					t.Fatal(err)
				}
			}
		}}
		spec := small(mix(t, "skip-locked"))
		spec.Clients, spec.Load.Mode = 4, runner.Simple
		if held {
			spec.RecoveryTimeout = 3 * time.Second
		}
		res := execute(t, pooled, spec, hooks)
		closeConn(t.Context(), conn)
		var use *InUseError
		if !errors.As(second, &use) {
			t.Errorf("the lock can be taken twice: %v", second)
		}
		switch {
		case !held && !res.Audit.OK:
			t.Errorf("audit %+v", res.Audit)
		case held && (res.Audit.Made() || !strings.HasPrefix(res.Audit.Reason, "behind the connection pooler server process ")):
			t.Errorf("with a transaction on the queue: audit %+v", res.Audit)
		}
	}
}
