package bench

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

var jobsStrategies = []string{"jobs-grouped", "jobs-grouped-sorted", "jobs-log", "jobs-loop", "jobs-loop-locked"}

// jobsTarget is a target whose server looks for deadlocks at once; its default
// of a second is all that a short run would measure.
func jobsTarget(t *testing.T) *Target {
	t.Helper()
	dsn, name := pgtest.Schema(t)
	tg, err := NewTarget(dsn, name)
	if err != nil {
		t.Fatal(err)
	}
	tg.load.RuntimeParams["deadlock_timeout"] = "10ms"
	return tg
}

// smallJobs is a run of 8 clients on 600 jobs, few keys apart, in batches of 7,
// the last of which is smaller.
func smallJobs(m *Mix) Spec {
	s := small(m)
	s.Clients = 8
	s.Queue = schema.Options{Orders: 600, Seed: 7, Priorities: 1, Entrypoints: 20}
	s.Load.MaxTries = 1000
	s.Load.Variables = map[string]string{"batch": "7"}
	if m.HasParam("aggregate_every") {
		s.Load.Variables["aggregate_every"] = "1" // client 0 may get few of the turns
	}
	return s
}

func TestJobsStrategiesAreAllTested(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range scenarios.List() {
		if s.Workload == "jobs" {
			names = append(names, s.Name)
		}
	}
	if got, want := strings.Join(names, " "), strings.Join(jobsStrategies, " "); got != want {
		t.Errorf("strategies %s, tested %s", got, want)
	}
}

// Every completion, in every query mode, completes each job exactly once,
// however often it deadlocks.
func TestJobsExactlyOnce(t *testing.T) {
	t.Parallel()
	for _, name := range jobsStrategies {
		for _, layout := range []string{schema.Plain, schema.Unlogged} {
			for _, mode := range runner.Modes {
				t.Run(fmt.Sprintf("%s/%s/%s", name, layout, mode), func(t *testing.T) {
					t.Parallel()
					tg := jobsTarget(t)
					spec := smallJobs(mix(t, name))
					spec.Queue.Layout, spec.Load.Mode = layout, mode
					res := execute(t, tg, spec, Hooks{})
					if res.AbortedClients > 0 || !res.Drained || res.Orders != 600 || res.Acknowledged != 600 {
						t.Errorf("drained %v, %d orders, %d acknowledged, want all 600; %d clients aborted: %v",
							res.Drained, res.Orders, res.Acknowledged, res.AbortedClients, res.Errors)
					}
					if a := res.Audit; a == nil || !a.OK || a.Processed != 600 || a.Remaining != 0 {
						t.Errorf("audit: %+v", a)
					}
					logged := query(t, tg, "select count(distinct job_id) from jobs_log")
					if want := map[bool]int64{true: 600}[name == "jobs-log"]; logged != want {
						t.Errorf("%d different jobs in the log, want %d", logged, want)
					}
					if name == "jobs-log" && query(t, tg, "select count(*) from jobs_log where aggregated") == 0 {
						t.Error("nothing of the log was aggregated")
					}
					if res.Deadlocks != res.Retries+res.Failures.Deadlock {
						t.Errorf("%d deadlocks, but %d retries and %d failures", res.Deadlocks, res.Retries, res.Failures.Deadlock)
					}
					if ordered := strings.HasSuffix(name, "sorted") || strings.HasSuffix(name, "locked") || name == "jobs-log"; ordered && res.Retries > 0 {
						t.Errorf("%d retries, though nobody can deadlock", res.Retries)
					}
				})
			}
		}
	}
}

// Client 0 adds the log to the statistics in every so many of its transactions,
// and only then.
func TestJobsLogAggregatesNowAndThen(t *testing.T) {
	t.Parallel()
	tg := jobsTarget(t)
	spec := smallJobs(mix(t, "jobs-log"))
	spec.Clients, spec.Load.Transactions = 1, 8
	spec.Load.Variables["aggregate_every"] = "3"
	if res := execute(t, tg, spec, Hooks{}); !res.Audit.OK {
		t.Errorf("audit: %+v", res.Audit)
	}
	if logged, added := query(t, tg, "select count(*) from jobs_log"), query(t, tg, "select count(*) from jobs_log where aggregated"); logged != 8*7 || added != 6*7 {
		t.Errorf("%d jobs in the log and %d of them aggregated, want 56 and 42", logged, added)
	}
}

// Connections that the clients share hold nothing between two transactions.
func TestJobsThroughPool(t *testing.T) {
	t.Parallel()
	for i, name := range jobsStrategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := smallJobs(mix(t, name))
			spec.Pool, spec.Load.Mode = 3, runner.Modes[i%len(runner.Modes)]
			res := execute(t, jobsTarget(t), spec, Hooks{})
			if res.AbortedClients > 0 || res.Acknowledged != 600 || !res.Audit.OK || res.Audit.Processed != 600 {
				t.Errorf("%d acknowledged, %v, audit %+v", res.Acknowledged, res.Errors, res.Audit)
			}
		})
	}
}

// Jobs that come during the run are of the set, and are completed once too.
func TestJobsWithProducers(t *testing.T) {
	t.Parallel()
	for i, name := range jobsStrategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := smallJobs(mix(t, name))
			spec.Feed = &Feed{Clients: 2, Batch: 30, Poll: time.Millisecond, Notify: i%2 == 0}
			spec.Load.Transactions, spec.Load.Mode = 60, runner.Modes[i%len(runner.Modes)]
			spec.Queue.Orders, spec.Queue.PayloadBytes = 100, i
			res := execute(t, jobsTarget(t), spec, Hooks{})
			if a := res.Audit; res.AbortedClients > 0 || !a.OK || a.Enqueued != 2*60*30 || a.Seeded+a.Enqueued != a.Processed+a.Remaining || a.Processed == 0 {
				t.Errorf("%v, audit %+v", res.Errors, a)
			}
		})
	}
}

// A lost backend leaves at most its batch picked, and the books in order.
func TestJobsKilledBackend(t *testing.T) {
	t.Parallel()
	for i, name := range jobsStrategies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := jobsTarget(t)
			spec := smallJobs(mix(t, name))
			tg.load.RuntimeParams["application_name"] = tg.Schema
			spec.Queue.Orders = 20_000
			spec.Load.Mode = runner.Modes[i%len(runner.Modes)]
			spec.Load.Interval, spec.Load.Transactions = 10*time.Millisecond, 150
			var once sync.Once
			res := execute(t, tg, spec, Hooks{Tick: func(result.Tick) {
				once.Do(func() {
					n := query(t, tg, `select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity
						where application_name = '`+tg.Schema+`' limit 1) killed`)
					if n != 1 {
						t.Error("no client to kill")
					}
				})
			}})
			if res.AbortedClients != 1 {
				t.Errorf("%d clients aborted (%v), want 1", res.AbortedClients, res.Errors)
			}
			if a := res.Audit; !a.OK || a.Orphans > 7 || a.Processed == 0 {
				t.Errorf("audit %+v", a)
			}
		})
	}
}

// A client that completes a batch twice is found out, although statistics hold
// each job once: it has acknowledged more than they count.
func TestJobsAuditCatchesTwoHandlings(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios.List() {
		if s.Workload != "jobs" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			broken := strings.Replace(s.Source, "\\set taken 0\n", "", 1)
			if broken == s.Source {
				t.Fatal("the script does not end a batch as this test expects")
			}
			spec := smallJobs(mix(t, file(t, broken)))
			spec.Clients, spec.Load.Transactions = 1, 2
			res := execute(t, jobsTarget(t), spec, Hooks{})
			want := "14 orders acknowledged to the clients, but 7 recorded as done"
			if a := res.Audit; a.OK || len(a.Problems) != 1 || a.Problems[0] != want {
				t.Errorf("audit %+v, want %q", a, want)
			}
		})
	}
}

// A deadlock is counted once, whether the transaction is tried again or given
// up. Two clients hold a row each, see that the other does too, and then want
// the other's.
func TestJobsCountsDeadlocks(t *testing.T) {
	t.Parallel()
	const script = `-- qbench: workload = jobs
-- qbench: state tried = 0
\set tried :tried + 1
\set mine 1 + :client_id
\set other 2 - :client_id
begin;
\if :tried = 1
select from jobs where id = :mine for update;
select pg_advisory_xact_lock_shared('jobs'::regclass::oid::int, :mine);
do $$
begin
  while (select count(*) from pg_locks where locktype = 'advisory' and classid = 'jobs'::regclass and granted) < 2 loop
  end loop;
end
$$;
select from jobs where id = :other for update;
\endif
end;
`
	for tries, want := range map[int]result.Stats{
		1: {Transactions: 1, Deadlocks: 1, Failures: result.Failures{Deadlock: 1}},
		2: {Transactions: 2, Deadlocks: 1, Retried: 1, Retries: 1},
	} {
		t.Run(fmt.Sprint(tries), func(t *testing.T) {
			t.Parallel()
			spec := smallJobs(mix(t, file(t, script)))
			spec.Clients, spec.Load.Transactions, spec.Load.MaxTries = 2, 1, tries
			got := execute(t, jobsTarget(t), spec, Hooks{}).Stats
			got.LatencyHist = nil
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestJobsKeepData(t *testing.T) {
	t.Parallel()
	tg := jobsTarget(t)
	spec := smallJobs(mix(t, "jobs-log"))
	spec.KeepData, spec.Load.Transactions = true, 3
	for run := range 2 {
		res := execute(t, tg, spec, Hooks{})
		if !res.Audit.OK || res.Acknowledged != 3*8*7 || res.Audit.Processed != int64(3*8*7*(run+1)) {
			t.Errorf("run %d: %d acknowledged, audit %+v", run+1, res.Acknowledged, res.Audit)
		}
		if res.Priorities != 1 || res.Entrypoints != 20 {
			t.Errorf("run %d: params %v", run+1, res.Params)
		}
	}
	spec.Queue.Entrypoints = 3
	_, err := tg.Run(t.Context(), t.Context(), spec, Hooks{})
	wantError(t, err, "was made with 20 entrypoints: leave out --entrypoints")
	spec.Queue.Entrypoints, spec.Queue.Priorities = 0, 2
	_, err = tg.Run(t.Context(), t.Context(), spec, Hooks{})
	wantError(t, err, "was made with 1 priorities: leave out --priorities")
}
