package bench

import (
	"fmt"
	"strings"
	"testing"

	"qbench/internal/pgserver/pgtest"
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
	tg.config.RuntimeParams["deadlock_timeout"] = "10ms"
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
		s.Load.Variables["aggregate_every"] = "3"
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
					if ordered := strings.HasSuffix(name, "sorted") || strings.HasSuffix(name, "locked") || name == "jobs-log"; ordered && res.Retries > 0 {
						t.Errorf("%d retries, though nobody can deadlock", res.Retries)
					}
				})
			}
		}
	}
}
