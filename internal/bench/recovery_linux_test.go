package bench

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/schema"
)

func privateTarget(t *testing.T, settings ...string) (*pgtest.Private, *Target) {
	t.Helper()
	p := pgtest.NewPrivate(t, settings...)
	tg, err := NewTarget(p.DSN, "q")
	if err != nil {
		t.Fatal(err)
	}
	return p, tg
}

// long is a run that only a fault ends.
func long(t *testing.T) Spec {
	spec := small(mix(t, "skip-locked"))
	spec.Clients = 4
	spec.Queue.Orders = 200_000
	spec.Load.Duration = time.Minute
	spec.Load.Interval = 50 * time.Millisecond
	return spec
}

// once returns hooks that call do in the middle of the load, and a function that waits for it.
func once(t *testing.T, do func() error) (Hooks, func()) {
	var begin sync.Once
	done := make(chan struct{})
	return Hooks{Tick: func(tick result.Tick) {
		if tick.OrdersPerS > 0 {
			begin.Do(func() {
				go func() {
					defer close(done)
					if err := do(); err != nil {
						t.Error(err)
					}
				}()
			})
		}
	}}, func() { <-done }
}

func checkQueue(t *testing.T, tg *Target) (a *result.Audit) {
	t.Helper()
	withConn(t, tg, func(conn *pgx.Conn) {
		made, err := schema.Inspect(t.Context(), conn, tg.Schema, "orders")
		if err != nil || made == nil {
			t.Fatalf("%+v, %v", made, err)
		}
		if a, _, err = tg.CheckQueue(t.Context(), conn, made); err != nil {
			t.Fatal(err)
		}
	})
	return a
}

// A server that is restarted in the middle of a load is waited for, and the
// audit and the next run go on.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fast", "immediate", "kill"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			server, tg := privateTarget(t)
			hooks, wait := once(t, func() error {
				if err := server.Stop(mode); err != nil {
					return err
				}
				return server.Start()
			})
			var waited []string
			hooks.Waiting = func(what string) { waited = append(waited, what) }
			res := execute(t, tg, long(t), hooks)
			wait()
			if res.AbortedClients != 4 || res.Acknowledged == 0 {
				t.Errorf("%d clients aborted, %d orders acknowledged", res.AbortedClients, res.Acknowledged)
			}
			if !res.Audit.Made() || !res.Audit.OK {
				t.Errorf("audit %+v; waited: %q", res.Audit, waited)
			}
			if a := checkQueue(t, tg); !a.OK || a.Acknowledged != res.Acknowledged {
				t.Errorf("check: %+v, want %d acknowledged", a, res.Acknowledged)
			}
			again := small(mix(t, "skip-locked"))
			again.Queue, again.KeepData = schema.Options{}, true
			again.Load.Transactions = 10
			if res := execute(t, tg, again, Hooks{}); !res.Audit.OK {
				t.Errorf("the next run: %+v", res.Audit)
			}
		})
	}
}

// A server that stays away leaves a run that says so.
func TestServerStaysAway(t *testing.T) {
	t.Parallel()
	server, tg := privateTarget(t)
	hooks, wait := once(t, func() error { return server.Stop("immediate") })
	spec := long(t)
	spec.RecoveryTimeout = 300 * time.Millisecond
	res := execute(t, tg, spec, hooks)
	wait()
	if res.Audit.Made() || res.Audit.Failed() || res.Audit.OK || !strings.HasPrefix(res.Audit.Reason, "the server did not come back within 300ms: ") || res.Acknowledged == 0 {
		t.Fatalf("%d acknowledged, audit %+v", res.Acknowledged, res.Audit)
	}
	text, err := json.Marshal(res.Audit)
	if err != nil || !strings.HasPrefix(string(text), `{"ok":null,`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if a := checkQueue(t, tg); a.Made() || !strings.Contains(a.Reason, "the counts of the run that began at ") {
		t.Errorf("check: %+v", a)
	}
}

// What an immediate restart loses with synchronous_commit = off is lost in the
// run's audit and in every check that follows.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	server, tg := privateTarget(t, "synchronous_commit=off", "wal_writer_delay=10s", "wal_writer_flush_after=0")
	for try := 1; ; try++ {
		hooks, wait := once(t, func() error {
			if err := server.Stop("immediate"); err != nil {
				return err
			}
			return server.Start()
		})
		res := execute(t, tg, long(t), hooks)
		wait()
		check := checkQueue(t, tg)
		if !res.Audit.Made() || res.Audit.OK != check.OK || check.Failed() != res.Audit.Failed() {
			t.Fatalf("the run's audit: %+v; the check's: %+v", res.Audit, check)
		}
		if res.Audit.Failed() {
			if !strings.Contains(strings.Join(check.Problems, "; "), "acknowledged to the clients, but") {
				t.Errorf("check: %q", check.Problems)
			}
			return
		}
		if try == 20 {
			t.Fatal("no order was lost in 20 restarts")
		}
	}
}

// Crash recovery empties unlogged tables, which the failed audit says.
func TestUnloggedAfterCrash(t *testing.T) {
	t.Parallel()
	server, tg := privateTarget(t)
	hooks, wait := once(t, func() error {
		if err := server.Stop("immediate"); err != nil {
			return err
		}
		return server.Start()
	})
	spec := long(t)
	spec.Queue.Unlogged = true
	res := execute(t, tg, spec, hooks)
	wait()
	if !res.Audit.Failed() || !strings.Contains(strings.Join(res.Audit.Problems, "; "), "empties unlogged tables in crash recovery") {
		t.Errorf("audit %+v", res.Audit)
	}
}
