package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

var claimStrategies = []string{"claim", "claim-functions", "claim-procedure", "claim-reclaim"}

// smallClaims is a run of 4 clients on 200 messages.
func smallClaims(t *testing.T, strategy string) Spec {
	m := mix(t, strategy)
	s := Spec{
		Mix: m, Clients: 4, Repeat: 1,
		Queue: schema.Options{Orders: 200, Seed: 7, Layout: schema.Unlogged},
		Load:  runner.Config{Threads: 2, Mode: runner.Prepared, MaxTries: 1, Seed: 7},
	}
	if m.HasParam("batch") {
		s.Load.Variables = map[string]string{"batch": "7"}
	}
	return s
}

// eachClaim runs a test for every strategy in every query mode.
func eachClaim(t *testing.T, test func(t *testing.T, strategy string, mode runner.Mode)) {
	for _, strategy := range claimStrategies {
		for _, mode := range runner.Modes {
			t.Run(fmt.Sprintf("%s/%s", strategy, mode), func(t *testing.T) {
				t.Parallel()
				test(t, strategy, mode)
			})
		}
	}
}

func TestClaimStrategiesAreAllTested(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range scenarios.List() {
		if s.Workload == "claims" {
			names = append(names, s.Name)
		}
	}
	if got, want := strings.Join(names, " "), strings.Join(claimStrategies, " "); got != want {
		t.Errorf("strategies %s, tested %s", got, want)
	}
}

// Every message is completed once; those that a lost worker has claimed stay,
// except where they are given back.
func TestClaimsExactlyOnce(t *testing.T) {
	t.Parallel()
	eachClaim(t, func(t *testing.T, strategy string, mode runner.Mode) {
		tg := target(t)
		spec := smallClaims(t, strategy)
		spec.Load.Mode, spec.Queue.Claimed = mode, 20
		spec.Queue.Index = []string{schema.IndexNone, schema.IndexFull, schema.IndexPartial}[len(mode)%3]
		done, orphans := int64(180), int64(20)
		if strategy == "claim-reclaim" {
			// So short a lease also takes messages from workers that are alive.
			spec.Load.Variables = map[string]string{"lease": "1", "look": "3"}
			done, orphans = 200, 0
		}
		res := execute(t, tg, spec, Hooks{})
		if res.AbortedClients > 0 || !res.Drained || res.Orders != done || res.Acknowledged != done {
			t.Errorf("drained %v, %d orders, %d acknowledged, want %d; %d aborted: %v", res.Drained, res.Orders, res.Acknowledged, done, res.AbortedClients, res.Errors)
		}
		if a := res.Audit; a == nil || !a.OK || a.Processed != done || a.Orphans != orphans {
			t.Errorf("audit: %+v", a)
		}
		if res.Index != spec.Queue.Index || res.Claimed != 20 {
			t.Errorf("the result says index %q, %d claimed", res.Index, res.Claimed)
		}
	})
}

// A worker that dies at its completion leaves an orphan where the claim was
// committed before, and none where it was not or is given back.
func TestClaimsWithAKilledWorker(t *testing.T) {
	t.Parallel()
	eachClaim(t, func(t *testing.T, strategy string, mode runner.Mode) {
		tg := target(t)
		spec := smallClaims(t, strategy)
		resolved, err := spec.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		withConn(t, tg, func(conn *pgx.Conn) {
			if err := tg.Make(t.Context(), conn, resolved.Queue, Hooks{}); err != nil {
				t.Fatal(err)
			}
			// Whoever is first dies: a given worker may be late and find nothing.
			_, err := conn.Exec(t.Context(), `
				create sequence completions;
				create function die() returns trigger language plpgsql as $$
				begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
				create trigger die before insert on queue_done for each row when (nextval('completions') = 1) execute function die()`)
			if err != nil {
				t.Fatal(err)
			}
		})
		spec.KeepData, spec.Load.Mode = true, mode
		orphans := map[string]int64{"claim": 1, "claim-functions": 1}[strategy]
		if orphans > 0 {
			// The orphan is never acknowledged, so that the end has to be counted out.
			spec.Load.Transactions = 500
		}
		if strategy == "claim-reclaim" {
			spec.Load.Variables = map[string]string{"lease": "1"}
		}
		res := execute(t, tg, spec, Hooks{})
		if res.AbortedClients != 1 || len(res.Errors) != 1 {
			t.Errorf("%d clients aborted: %v, want the killed one", res.AbortedClients, res.Errors)
		}
		if a := res.Audit; a == nil || !a.OK || a.Processed != 200-orphans || a.Orphans != orphans {
			t.Errorf("audit: %+v", a)
		}
	})
}

func TestClaimsWithProducersAndAPool(t *testing.T) {
	t.Parallel()
	eachClaim(t, func(t *testing.T, strategy string, mode runner.Mode) {
		spec := smallClaims(t, strategy)
		spec.Load.Mode, spec.Load.Transactions = mode, 60
		spec.Clients, spec.Pool = 8, 3
		spec.Feed = &Feed{Clients: 2, Batch: 5, Poll: time.Millisecond}
		res := execute(t, target(t), spec, Hooks{})
		if res.AbortedClients > 0 || res.Drained {
			t.Errorf("drained %v; %d aborted: %v", res.Drained, res.AbortedClients, res.Errors)
		}
		if a := res.Audit; a == nil || !a.OK || a.Enqueued != 600 || a.Orphans != 0 || a.Processed+a.Remaining != 800 {
			t.Errorf("audit: %+v", a)
		}
		if res.Pool != 3 || res.Producers.Orders != 600 {
			t.Errorf("a pool of %d, %d orders enqueued", res.Pool, res.Producers.Orders)
		}
	})
}

// With every message claimed there is nothing to take, and the error says who
// can give them back.
func TestClaimedQueueIsNotTakenForDrained(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := smallClaims(t, "claim")
	spec.Queue.Claimed = 200
	withConn(t, tg, func(conn *pgx.Conn) {
		resolved, err := spec.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if err := tg.Make(t.Context(), conn, resolved.Queue, Hooks{}); err != nil {
			t.Fatal(err)
		}
	})
	spec.KeepData = true
	_, err := tg.Run(t.Context(), t.Context(), spec, Hooks{})
	if err == nil || !strings.Contains(err.Error(), "all 200 orders in the queue") || !strings.Contains(err.Error(), "claim-reclaim") {
		t.Errorf("error %v", err)
	}
}
