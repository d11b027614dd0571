package bench

import (
	"strings"
	"testing"
)

// seedScript writes down what its random numbers are derived from.
const seedScript = `-- qbench: workload = orders
-- qbench: orders
insert into t_order_u (cts, uts, status) values (now(), now(), :random_seed);
`

// Repeat 1 has the random numbers of pgbench's --random-seed, and each further
// one its own, while the orders and the configuration stay the same.
func TestRepeatsHaveSeedsOfTheirOwn(t *testing.T) {
	t.Parallel()
	tg := target(t)
	spec := small(mix(t, file(t, seedScript)))
	spec.Clients, spec.Load.Transactions, spec.Jobs = 1, 1, 1
	first := execute(t, tg, spec, Hooks{})
	if seed := query(t, tg, "select max(status) from t_order_u"); seed != 7 || first.Seed != 7 || first.BaseSeed != 7 {
		t.Errorf("repeat 1: drawn from %d, recorded %d of base %d", seed, first.Seed, first.BaseSeed)
	}
	spec.Repeat = 3
	third := execute(t, tg, spec, Hooks{})
	if seed := query(t, tg, "select max(status) from t_order_u"); seed != 9 || third.Seed != 9 || third.BaseSeed != 7 {
		t.Errorf("repeat 3: drawn from %d, recorded %d of base %d", seed, third.Seed, third.BaseSeed)
	}
	if n := query(t, tg, "select count(*) from t_order_q where order_id = md5('7:' || id)::uuid"); n != 1000 {
		t.Errorf("%d of 1000 orders are those of the base seed", n)
	}
	if first.Configuration != third.Configuration {
		t.Errorf("repeats of two configurations: %v", first.Configuration.Diff(third.Configuration))
	}
	if first.Jobs != 1 || first.Threads != 1 {
		t.Errorf("-j %d, %d threads", first.Jobs, first.Threads)
	}
}

// The server's settings are those of each run, and of a run without a queue too.
func TestConfigurationHasTheServer(t *testing.T) {
	t.Parallel()
	tg := target(t)
	for _, script := range []string{seedScript, "select 1;"} {
		spec := small(mix(t, file(t, script)))
		spec.Clients, spec.Load.Transactions = 1, 1
		before := execute(t, tg, spec, Hooks{})
		tg.config.RuntimeParams["synchronous_commit"] = "local"
		after := execute(t, tg, spec, Hooks{})
		delete(tg.config.RuntimeParams, "synchronous_commit")
		if before.ServerMajor < 14 {
			t.Errorf("server %d", before.ServerMajor)
		}
		diff := before.Configuration.Diff(after.Configuration)
		if len(diff) != 1 || diff[0].Name != "synchronous_commit" || diff[0].New != "local" {
			t.Errorf("the difference is %v", diff)
		}
		if s := before.Settings.Map(); s["fsync"] == "" || s["max_connections"] != "" {
			t.Errorf("settings %v", s)
		}
		if strings.Contains(string(before.Settings), "max_locks") {
			t.Error("a setting that follows from the number of clients is part of the configuration")
		}
	}
}
