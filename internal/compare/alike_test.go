package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"qbench/internal/result"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	fresh := func() (Set, Set) {
		rng := rand.New(rand.NewPCG(1, 1))
		base, new := simulated(rng, "base", 5, normal(0.01), 1, 1), simulated(rng, "new", 5, normal(0.01), 1, 1)
		for _, s := range []Set{base, new} {
			s.Environments[0] = result.Environment{
				ServerVersion: "15.18", Settings: map[string]string{"fsync": "on", "shared_buffers": "128MB", "max_connections": "100"},
				HostCores: 2, HostMemory: 8 << 30, HostCPU: "Some CPU", HostOS: "linux/amd64", QbenchVersion: "1.0",
			}
			for _, r := range s.Runs {
				r.Audit = &result.Audit{OK: true, Seeded: 1000}
			}
		}
		return base, new
	}
	each := func(s Set, change func(*result.Run)) {
		for _, r := range s.Runs {
			change(r)
		}
	}
	for name, c := range map[string]struct {
		change func(base, new *Set)
		want   []string // kind: the text's beginning; ! before a refusal
	}{
		"alike":                    {func(_, _ *Set) {}, nil},
		"max_connections":          {func(_, n *Set) { n.Environments[0].Settings["max_connections"] = "300" }, nil},
		"memory of another kernel": {func(_, n *Set) { n.Environments[0].HostMemory -= 3 << 20 }, nil},
		"an older file":            {func(b, _ *Set) { b.Environments[0] = result.Environment{} }, nil},
		"server":                   {func(_, n *Set) { n.Environments[0].ServerVersion = "16.2" }, []string{"version: server version differs: 15.18 against 16.2"}},
		"qbench":                   {func(_, n *Set) { n.Environments[0].QbenchVersion = "1.1" }, []string{"version: qbench version differs: 1.0 against 1.1; a change of the load generator"}},
		"machine": {func(_, n *Set) { n.Environments[0].HostCores = 4 },
			[]string{"machine: machine differs: 2 cores, Some CPU, 8 GiB, linux/amd64 against 4 cores, Some CPU, 8 GiB, linux/amd64; use `qbench ab`"}},
		"mixed machines": {func(b, _ *Set) {
			e := b.Environments[0]
			e.HostCPU = "Other CPU"
			b.Environments = append(b.Environments, e)
		}, []string{"machine: machine differs: 2 cores, Other CPU, 8 GiB, linux/amd64 and 2 cores, Some CPU"}},
		"setting":    {func(_, n *Set) { n.Environments[0].Settings["shared_buffers"] = "1GB" }, []string{"settings: setting differs: shared_buffers 128MB against 1GB"}},
		"durability": {func(_, n *Set) { n.Environments[0].Settings["fsync"] = "off" }, []string{"!durability: durability differs: fsync on against off; use --force"}},
		"audit": {func(_, n *Set) { n.Runs[3].Audit.OK = false },
			[]string{"!audit: new: 1 of 10 runs failed the audit, so their numbers are invalid"}},
		"interrupted": {func(_, n *Set) { n.Runs[3].Interrupted = true }, []string{"incomplete: new: 1 of 10 runs were interrupted or lost clients and are left out"}},
		"layout": {func(_, n *Set) { each(*n, func(r *result.Run) { r.Layout = "partitioned"; r.Partitions = 256 }) },
			[]string{"!disjoint: base and new have no configuration in common: layout plain against partitioned (256)"}},
		"unlogged": {func(_, n *Set) { each(*n, func(r *result.Run) { r.Unlogged = true }) },
			[]string{"!disjoint: base and new have no configuration in common: layout plain against plain unlogged"}},
		"mode and clients": {func(_, n *Set) { each(*n, func(r *result.Run) { r.Mode, r.Clients = "simple", 8 }) },
			[]string{"!disjoint: base and new have no configuration in common: mode prepared against simple; clients 64 against 8"}},
		"parameters": {func(_, n *Set) {
			each(*n, func(r *result.Run) { r.Params = result.Assign(map[string]string{"batch": "10"}); r.Rate = 500 })
		}, []string{"!disjoint: base and new have no configuration in common: parameters none against --rate=500 batch=10"}},
		"combinations": {func(b, n *Set) {
			each(*b, func(r *result.Run) { r.Clients = map[string]int{"strategy-0": 8, "strategy-1": 64}[r.Strategy] })
			each(*n, func(r *result.Run) { r.Clients = map[string]int{"strategy-0": 64, "strategy-1": 8}[r.Strategy] })
		}, []string{"!disjoint: base and new have no configuration in common: each has values of the other, but in other combinations"}},
		"no runs": {func(_, n *Set) { n.Runs = nil }, []string{"!disjoint: base and new have no configuration in common: one of them has no complete run"}},
		"one strategy more": {func(_, n *Set) {
			r := *n.Runs[0]
			r.Strategy = "extra"
			n.Runs = append(n.Runs, &r)
		}, []string{"missing: only new has, not compared: extra, plain, prepared, 64 clients"}},
		"orders": {func(_, n *Set) { n.Runs[0].Audit.Seeded = 2000 },
			[]string{"orders: strategy-0, plain, prepared, 64 clients: another number of orders in the queue: 1000 against 1000 and 2000"}},
		"duration": {func(_, n *Set) { each(Set{Runs: n.Runs[:5]}, func(r *result.Run) { r.WantDurationS = 30 }) },
			[]string{"duration: strategy-0, plain, prepared, 64 clients: another length of the runs: 10 s against 30 s"}},
		"drained": {func(b, _ *Set) { each(Set{Runs: b.Runs[:5]}, func(r *result.Run) { r.Drained = true }) },
			[]string{"drained: strategy-0, plain, prepared, 64 clients: the queue was drained on one side only: drained against not drained"}},
		"rate": {func(b, n *Set) {
			each(*b, func(r *result.Run) { r.Rate = 100 })
			each(*n, func(r *result.Run) { r.Rate = 100 })
		},
			[]string{"rate: strategy-0 --rate=100, plain", "rate: strategy-1 --rate=100, plain"}},
		"no orders on one side": {func(_, n *Set) { each(Set{Runs: n.Runs[:5]}, func(r *result.Run) { r.CountsOrders = false }) },
			[]string{"unmeasured: strategy-0, plain, prepared, 64 clients: no orders_per_s on one side, so it decides nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, new := fresh()
			c.change(&base, &new)
			rep, err := Compare(base, new, fivePercent)
			if err != nil {
				t.Fatal(err)
			}
			refused := false
			for i, p := range rep.Problems {
				text := p.Kind + ": " + p.Text
				if p.Refusal {
					refused = true
					text = "!" + text
				}
				if i >= len(c.want) || !strings.HasPrefix(text, c.want[i]) {
					t.Errorf("problem %d is %q, want %q", i, text, c.want)
				}
			}
			if len(rep.Problems) < len(c.want) {
				t.Errorf("problems %+v, want %q", rep.Problems, c.want)
			}
			if (rep.Verdict == result.NotComparable) != refused || refused != (len(rep.Rows) == 0) {
				t.Errorf("verdict %s with %d rows, refused %v", rep.Verdict, len(rep.Rows), refused)
			}
			o := fivePercent
			o.Force = true
			forced, err := Compare(base, new, o)
			if err != nil {
				t.Fatal(err)
			}
			if want := refused && name != "durability"; (forced.Verdict == result.NotComparable) != want {
				t.Errorf("with force: %s", forced.Verdict)
			}
		})
	}
}
