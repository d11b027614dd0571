package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"qbench/internal/result"
)

// durabilitySettings decide what a commit waits for: with another value the
// server does less work for the same order.
var durabilitySettings = []string{"fsync", "full_page_writes", "synchronous_commit"}

// alike lists how the sets were not run alike.
func alike(base, new Set, groups []group) []result.Problem {
	var out []result.Problem
	for _, s := range []Set{base, new} {
		out = append(out, invalid(s)...)
	}
	out = append(out, configurations(base, new)...)
	out = append(out, environments(base, new)...)
	return append(out, conditions(groups)...)
}

// invalid is about the runs of one set by themselves.
func invalid(s Set) []result.Problem {
	var out []result.Problem
	failed, parts, unproved := 0, 0, 0
	for _, r := range s.Runs {
		switch {
		case r.Audit.Failed():
			failed++
		case r.Audit != nil && !r.Audit.Made():
			unproved++
			continue
		}
		if !whole(r) {
			parts++
		}
	}
	if unproved > 0 {
		out = append(out, result.Problem{Kind: "incomplete",
			Text: fmt.Sprintf("%s: %d of %d runs were NOT AUDITED and are left out", s.Name, unproved, len(s.Runs))})
	}
	if failed > 0 {
		out = append(out, result.Problem{Refusal: true, Kind: "audit",
			Text: fmt.Sprintf("%s: %d of %d runs failed the audit, so their numbers are invalid; see `qbench report` on the file", s.Name, failed, len(s.Runs))})
	}
	if parts > 0 {
		out = append(out, result.Problem{Kind: "incomplete",
			Text: fmt.Sprintf("%s: %d of %d runs were interrupted or lost clients and are left out", s.Name, parts, len(s.Runs))})
	}
	return out
}

// factors are the parts of a configuration in the words of a message.
var factors = []struct {
	name string
	of   func(Config) string
}{
	{"strategy", func(c Config) string { return c.Strategy }},
	{"workload", func(c Config) string { return c.Workload }},
	{"layout", func(c Config) string { return c.layout() }},
	{"mode", func(c Config) string { return c.Mode }},
	{"clients", func(c Config) string { return strconv.Itoa(c.Clients) }},
	{"parameters", func(c Config) string { return c.Params }},
}

func configurations(base, new Set) []result.Problem {
	configs := func(s Set) map[Config]bool {
		m := map[Config]bool{}
		for _, r := range s.Runs {
			if whole(r) {
				m[configOf(r)] = true
			}
		}
		return m
	}
	b, n := configs(base), configs(new)
	onlyBase, onlyNew := without(b, n), without(n, b)
	if len(b) == len(onlyBase) {
		return []result.Problem{{Refusal: true, Kind: "disjoint",
			Text: fmt.Sprintf("%s and %s have no configuration in common: %s", base.Name, new.Name, whyDisjoint(b, n))}}
	}
	var out []result.Problem
	for _, side := range []struct {
		set  Set
		only []string
	}{{base, onlyBase}, {new, onlyNew}} {
		if len(side.only) > 0 {
			out = append(out, result.Problem{Kind: "missing",
				Text: fmt.Sprintf("only %s has, not compared: %s", side.set.Name, strings.Join(side.only, "; "))})
		}
	}
	return out
}

func without(a, b map[Config]bool) []string {
	var out []string
	for c := range a {
		if !b[c] {
			out = append(out, c.String())
		}
	}
	slices.Sort(out)
	return out
}

// whyDisjoint names the factors without a common value.
func whyDisjoint(b, n map[Config]bool) string {
	if len(b) == 0 || len(n) == 0 {
		return "one of them has no complete run"
	}
	var out []string
	for _, f := range factors {
		values := func(m map[Config]bool) []string {
			seen := map[string]bool{}
			for c := range m {
				v := f.of(c)
				if v == "" {
					v = "none"
				}
				seen[v] = true
			}
			return slices.Sorted(maps.Keys(seen))
		}
		vb, vn := values(b), values(n)
		if !slices.ContainsFunc(vb, func(v string) bool { return slices.Contains(vn, v) }) {
			out = append(out, fmt.Sprintf("%s %s against %s", f.name, strings.Join(vb, ", "), strings.Join(vn, ", ")))
		}
	}
	if len(out) == 0 {
		return "each has values of the other, but in other combinations"
	}
	return strings.Join(out, "; ")
}

// environments compares servers and machines. Files from before a field existed
// leave it empty, which is no difference.
func environments(base, new Set) []result.Problem {
	var out []result.Problem
	differ := func(kind, what, hint string, of func(result.Environment) string) {
		if text := difference(base, new, of); text != "" {
			out = append(out, result.Problem{Kind: kind, Text: what + " differs: " + text + hint})
		}
	}
	differ("version", "server version", "", func(e result.Environment) string { return e.ServerVersion })
	differ("version", "qbench version", "; a change of the load generator looks like one of the server", func(e result.Environment) string { return e.QbenchVersion })
	differ("machine", "machine", "; use `qbench ab`, which alternates on one machine", machine)
	for _, name := range settingNames(base, new) {
		text := difference(base, new, func(e result.Environment) string { return e.Settings[name] })
		switch {
		case text == "":
		case slices.Contains(durabilitySettings, name):
			out = append(out, result.Problem{Refusal: true, CanForce: true, Kind: "durability",
				Text: fmt.Sprintf("durability differs: %s %s; use --force if that is what is to be compared", name, text)})
		default:
			out = append(out, result.Problem{Kind: "settings", Text: fmt.Sprintf("setting differs: %s %s", name, text)})
		}
	}
	return out
}

func settingNames(sets ...Set) []string {
	names := map[string]bool{}
	for _, s := range sets {
		for _, e := range s.Environments {
			for name := range e.Settings {
				// Follows from the number of clients, and changes nothing else.
				if name != "max_connections" {
					names[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func machine(e result.Environment) string {
	var parts []string
	if e.HostCores > 0 {
		parts = append(parts, fmt.Sprintf("%d cores", e.HostCores))
	}
	if e.HostCPU != "" {
		parts = append(parts, e.HostCPU)
	}
	// Memory in whole GiB: kernels differ in what they keep for themselves.
	if gib := (e.HostMemory + 1<<29) >> 30; gib > 0 {
		parts = append(parts, fmt.Sprintf("%d GiB", gib))
	}
	if e.HostOS != "" {
		parts = append(parts, e.HostOS)
	}
	return strings.Join(parts, ", ")
}

// difference is "a against b" where the two sets, or the files of one, do not
// agree; "" where they do.
func difference(base, new Set, of func(result.Environment) string) string {
	values := func(s Set) string {
		seen := map[string]bool{}
		for _, e := range s.Environments {
			if v := of(e); v != "" {
				seen[v] = true
			}
		}
		return strings.Join(slices.Sorted(maps.Keys(seen)), " and ")
	}
	b, n := values(base), values(new)
	mixed := strings.Contains(b, " and ") || strings.Contains(n, " and ")
	if b == "" || n == "" || b == n && !mixed {
		return ""
	}
	return b + " against " + n
}

// conditions compares what was asked of the runs beyond their configuration.
func conditions(groups []group) []result.Problem {
	var out []result.Problem
	warn := func(kind, format string, args ...any) {
		out = append(out, result.Problem{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	for _, g := range groups {
		differ := func(kind, what string, of func(*result.Run) string) {
			b, n := distinct(g.base, of), distinct(g.new, of)
			if b != n {
				warn(kind, "%s: %s: %s against %s", g.Config, what, b, n)
			}
		}
		differ("orders", "another number of orders in the queue", func(r *result.Run) string {
			if r.Audit == nil {
				return "none"
			}
			return strconv.FormatInt(r.Audit.Seeded, 10)
		})
		differ("duration", "another length of the runs", func(r *result.Run) string {
			if r.WantTransactions > 0 {
				return fmt.Sprintf("%d transactions a client", r.WantTransactions)
			}
			return fmt.Sprintf("%g s", r.WantDurationS)
		})
		differ("drained", "the queue was drained on one side only", func(r *result.Run) string {
			if r.Drained {
				return "drained"
			}
			return "not drained"
		})
		if g.base[0].Rate > 0 {
			warn("rate", "%s: --rate sets the throughput, so only a server that cannot keep up shows in it; let a latency decide (--metric p99)", g.Config)
		}
	}
	return out
}

func distinct(runs []*result.Run, of func(*result.Run) string) string {
	var seen []string
	for _, r := range runs {
		if v := of(r); !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
	}
	slices.Sort(seen)
	return strings.Join(seen, " and ")
}

// unmeasured lists the deciding metrics that a configuration has no values of.
func unmeasured(groups []group, gate []string, rows []result.ComparisonRow) []result.Problem {
	var out []result.Problem
	for _, g := range groups {
		for _, metric := range gate {
			if !slices.ContainsFunc(rows, func(r result.ComparisonRow) bool {
				return r.Configuration == g.base[0].Configuration && r.Metric == metric
			}) {
				out = append(out, result.Problem{Kind: "unmeasured", Text: fmt.Sprintf("%s: no %s on one side, so it decides nothing", g.Config, metric)})
			}
		}
	}
	return out
}
