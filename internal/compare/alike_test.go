package compare

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
)

// What differs is refused, missing or only named, as it deserves.
func TestAlike(t *testing.T) {
	t.Parallel()
	fresh := func() (Set, Set) {
		rng := rand.New(rand.NewPCG(1, 1))
		base, new := simulated(rng, "base", 6, normal(0.01), 1, 1), simulated(rng, "new", 6, normal(0.01), 1, 1)
		for _, s := range []Set{base, new} {
			env := result.Environment{
				ServerVersion: "15.18", HostCores: 2, HostMemory: 8 << 30, HostCPU: "Some CPU", HostOS: "linux/amd64", QbenchVersion: "1.0",
			}
			for _, r := range s.Runs {
				r.Env = &env
				r.Scripts = []result.Script{{Name: r.Strategy, Digest: "abc"}}
				r.Workload, r.Audit = "orders", &result.Audit{OK: true, Seeded: 1000}
				r.Settings = result.Assign(map[string]string{"synchronous_commit": "on"})
				r.ServerMajor, r.BaseSeed = 15, 1
			}
		}
		return base, new
	}
	each := func(s *Set, change func(*result.Run)) {
		for _, r := range s.Runs {
			change(r)
		}
	}
	settings := func(value string) func(*result.Run) {
		return func(r *result.Run) { r.Settings = result.Assign(map[string]string{"synchronous_commit": value}) }
	}
	const first = "strategy-0, plain, prepared, 64 clients"
	differs := func(what, names string) []string {
		return []string{"refused configuration: " + first + ": the configurations differ: " + what + ". To compare across that on purpose, use --across " + names + "; to compare two variants"}
	}
	for name, c := range map[string]struct {
		change func(base, new *Set)
		across string
		want   []string // the beginnings of the problems
	}{
		"alike":                    {func(_, _ *Set) {}, "", nil},
		"memory of another kernel": {func(_, n *Set) { n.Runs[0].Env.HostMemory -= 3 << 20 }, "", nil},
		"an older file":            {func(b, _ *Set) { *b.Runs[0].Env = result.Environment{} }, "", nil},
		"minor version":            {func(_, n *Set) { n.Runs[0].Env.ServerVersion = "15.19" }, "", []string{"note different: also different: server version 15.18 against 15.19"}},
		"qbench":                   {func(_, n *Set) { n.Runs[0].Env.QbenchVersion = "1.1" }, "", []string{"note different: also different: qbench version 1.0 against 1.1; a change of the load generator"}},
		"machine": {func(_, n *Set) { n.Runs[0].Env.HostCores = 4 }, "",
			[]string{"note different: also different: machine 2 cores, Some CPU, 8 GiB, linux/amd64 against 4 cores, Some CPU, 8 GiB, linux/amd64; use `qbench ab`"}},
		"mixed machines": {func(b, _ *Set) {
			e := *b.Runs[0].Env
			e.HostCPU = "Other CPU"
			b.Runs[3].Env = &e
		}, "", []string{"note different: also different: machine 2 cores, Some CPU, 8 GiB, linux/amd64 against 2 cores, Other CPU"}},
		"script": {func(_, n *Set) {
			each(n, func(r *result.Run) {
				if r.Strategy == "strategy-1" {
					r.Scripts[0].Digest = "def"
				}
			})
		}, "", []string{"note different: also different: text of script strategy-1 abc against def"}},
		"index":         {func(_, n *Set) { each(n, func(r *result.Run) { r.Index = "narrow" }) }, "", differs("index none against narrow", "index")},
		"payload":       {func(_, n *Set) { each(n, func(r *result.Run) { r.PayloadBytes = 100 }) }, "", differs("payload-bytes none against 100", "payload-bytes")},
		"pool":          {func(_, n *Set) { each(n, func(r *result.Run) { r.Pool = 4 }) }, "", differs("pool none against 4", "pool")},
		"enqueue rate":  {func(_, n *Set) { each(n, func(r *result.Run) { r.Enqueue.Rate = 50 }) }, "", differs("enqueue-rate none against 50", "enqueue-rate")},
		"enqueue batch": {func(_, n *Set) { each(n, func(r *result.Run) { r.Enqueue.Batch = 10 }) }, "", differs("enqueue-batch none against 10", "enqueue-batch")},
		"durability":    {func(_, n *Set) { each(n, settings("off")) }, "", differs("synchronous_commit on against off", "synchronous_commit")},
		"major version": {func(_, n *Set) { each(n, func(r *result.Run) { r.ServerMajor = 18 }) }, "", differs("server 15 against 18", "server")},
		"two things": {func(_, n *Set) { each(n, func(r *result.Run) { r.Mode, r.Clients = "simple", 8 }) }, "",
			differs("protocol prepared against simple; client 64 against 8", "protocol,client")},
		"across index":      {func(_, n *Set) { each(n, func(r *result.Run) { r.Index = "narrow" }) }, "index", nil},
		"across a setting":  {func(_, n *Set) { each(n, settings("off")) }, "synchronous_commit", nil},
		"across the server": {func(_, n *Set) { each(n, func(r *result.Run) { r.ServerMajor = 18 }) }, "server,index", []string{"note across: --across index: both sets have the same"}},
		"across one of two": {func(_, n *Set) { each(n, func(r *result.Run) { r.Mode, r.Clients = "simple", 8 }) }, "client",
			differs("protocol prepared against simple; client 64 against 8", "protocol,client")},
		"across a misspelt name": {func(_, n *Set) { each(n, func(r *result.Run) { r.Index = "narrow" }) }, "indx",
			[]string{`refused across: --across indx: it is no flag, parameter or setting of these runs: did you mean "index"?; known are strategy, workload, `}},
		"across too much": {func(_, n *Set) { each(n, func(r *result.Run) { r.Index = "narrow" }) }, "index,strategy",
			[]string{"refused across: --across index,strategy: 2 configurations of " + first + " stand against 2 configurations"}},
		"audit": {func(_, n *Set) { n.Runs[3].Audit.OK = false }, "",
			[]string{"invalid audit: new: 1 of 12 runs failed the audit, so their numbers are invalid"}},
		"interrupted": {func(_, n *Set) { n.Runs[3].Interrupted = true }, "", []string{"incomplete incomplete: new: 1 of 12 runs were interrupted or lost clients and are left out"}},
		"not audited": {func(b, _ *Set) { b.Runs[3].Audit.OK, b.Runs[3].Audit.Reason = false, "no time" }, "",
			[]string{"incomplete incomplete: base: 1 of 12 runs were NOT AUDITED and are left out"}},
		"no audit of a queue": {func(b, _ *Set) { b.Runs[3].Audit = nil }, "", []string{"incomplete incomplete: base: 1 of 12 runs were NOT AUDITED and are left out"}},
		"aborted in all": {func(_, n *Set) {
			for _, r := range n.Runs[:6] {
				r.AbortedClients = 1
			}
		}, "", []string{"incomplete incomplete: new: 6 of 12 runs", "incomplete missing: new has no complete run of " + first}},
		"no runs": {func(_, n *Set) { n.Runs = nil }, "",
			[]string{"incomplete missing: new holds no runs", "incomplete missing: new has no run of " + first, "incomplete missing: new has no run of strategy-1"}},
		"one strategy less": {func(_, n *Set) { n.Runs = n.Runs[6:] }, "", []string{"incomplete missing: new has no run of " + first + ", which base has"}},
		"one strategy more": {func(_, n *Set) {
			r := *n.Runs[0]
			r.Strategy = "extra"
			n.Runs = append(n.Runs, &r)
		}, "", []string{"incomplete missing: base has no run of extra, plain, prepared, 64 clients, which new has"}},
		"other strategies": {func(_, n *Set) { each(n, func(r *result.Run) { r.Strategy = "other" }) }, "",
			differs("strategy strategy-0 against other; strategy strategy-1 against other", "strategy")},
		"drained": {func(b, _ *Set) { each(&Set{Runs: b.Runs[:6]}, func(r *result.Run) { r.Drained = true }) }, "",
			[]string{"note drained: " + first + ": the queue was drained on one side only: drained against not drained"}},
		"no orders on one side": {func(_, n *Set) { each(&Set{Runs: n.Runs[:6]}, func(r *result.Run) { r.CountsOrders = false }) }, "",
			[]string{"incomplete unmeasured: " + first + ": 6 of 12 runs have no orders_per_s: "}},
		"one run without": {func(_, n *Set) { n.Runs[0].CountsOrders = false }, "", []string{"incomplete unmeasured: " + first + ": 1 of 12 runs have no orders_per_s: "}},
		"different times": {func(b, n *Set) {
			at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			for i := range b.Runs {
				b.Runs[i].StartedAt, n.Runs[i].StartedAt = at.Add(time.Duration(i)*time.Second), at.Add(time.Minute+time.Duration(i)*time.Second)
			}
		}, "", []string{"note times: the sets were measured at different times (UTC): base 2026-01-02 03:04:05 to 03:04:16, new 2026-01-02 03:05:05 to 03:05:16. If the machine changed between them, equals are called slower more often than in 1 %"}},
		"times interleave": {func(b, n *Set) {
			at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			for i := range b.Runs {
				b.Runs[i].StartedAt, n.Runs[i].StartedAt = at.Add(time.Duration(2*i)*time.Second), at.Add(time.Duration(2*i+1)*time.Second)
			}
		}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, new := fresh()
			c.change(&base, &new)
			o := fivePercent
			if c.across != "" {
				o.Across = strings.Split(c.across, ",")
			}
			rep, err := Compare(base, new, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			refused, fails := false, false
			for _, p := range rep.Problems {
				got = append(got, string(p.Severity)+" "+p.Kind+": "+p.Text)
				refused = refused || p.Severity == result.Refused || p.Severity == result.Invalid
				fails = fails || p.Fails()
			}
			if len(got) != len(c.want) {
				t.Fatalf("problems %q, want %q", got, c.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("problem %d is\n%s, want\n%s", i, got[i], c.want[i])
				}
			}
			if refused != (len(rep.Rows) == 0) && name != "no runs" {
				t.Errorf("%d rows, refused: %v", len(rep.Rows), refused)
			}
			if fails && !rep.Failed() || !fails && rep.Failed() {
				t.Errorf("the gate fails: %v, with %+v", rep.Failed(), got)
			}
			if len(rep.Rows) > 0 && c.across != "" && len(rep.Rows[0].Across) != 1 {
				t.Errorf("the row does not name what is compared across: %+v", rep.Rows[0].Across)
			}
		})
	}
}
