package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/nearest"
	"qbench/internal/result"
)

// group is a configuration that both sides ran: the whole runs of each in the
// order of time, and how many there were with those that are no samples.
type group struct {
	result.Configuration
	across          []result.Difference
	base, new       []*result.Run
	baseAll, newAll int
}

// side is the runs of one set by their configuration, in the order of the set.
type side struct {
	order []result.Configuration
	runs  map[result.Configuration][]*result.Run
}

func sideOf(s Set) side {
	out := side{runs: map[result.Configuration][]*result.Run{}}
	for _, r := range s.Runs {
		c := r.Configuration
		if out.runs[c] == nil {
			out.order = append(out.order, c)
		}
		out.runs[c] = append(out.runs[c], r)
	}
	return out
}

// match finds the configurations of both sides: equal ones first, then those that
// are equal but for what is compared across. What stands alone is a problem: if
// the other side has something like it left over, the sets were not run alike;
// otherwise it is missing.
func match(base, new Set, across []string) (groups []group, problems []result.Problem) {
	b, n := sideOf(base), sideOf(new)
	problems = checkAcross(across, b, n)
	if len(problems) > 0 && problems[0].Fails() {
		return nil, problems
	}
	pair := func(x, y result.Configuration) {
		g := group{Configuration: x, across: x.Diff(y), baseAll: len(b.runs[x]), newAll: len(n.runs[y])}
		g.base, g.new = samplesOf(b.runs[x]), samplesOf(n.runs[y])
		groups = append(groups, g)
	}
	leftBase, leftNew := []result.Configuration{}, slices.Clone(n.order)
	for _, c := range b.order {
		if i := slices.Index(leftNew, c); i >= 0 {
			leftNew = slices.Delete(leftNew, i, i+1)
			pair(c, c)
		} else {
			leftBase = append(leftBase, c)
		}
	}
	if len(across) > 0 {
		leftBase, leftNew, problems = matchAcross(leftBase, leftNew, across, pair, problems)
	}
	// In the order of base, whichever way they were found.
	slices.SortStableFunc(groups, func(x, y group) int {
		return cmp.Compare(slices.Index(b.order, x.Configuration), slices.Index(b.order, y.Configuration))
	})
	if differ := unlike(leftBase, leftNew, len(groups) == 0); differ != nil {
		return groups, append(problems, *differ)
	}
	for _, only := range []struct {
		has, lacks string
		list       []result.Configuration
	}{{base.Name, new.Name, leftBase}, {new.Name, base.Name, leftNew}} {
		for _, c := range only.list {
			problems = append(problems, result.Problem{Severity: result.Incomplete, Kind: "missing",
				Text: fmt.Sprintf("%s has no run of %s, which %s has", only.lacks, c, only.has)})
		}
	}
	for _, g := range groups {
		for _, s := range []struct {
			name string
			runs []*result.Run
		}{{base.Name, g.base}, {new.Name, g.new}} {
			if len(s.runs) == 0 {
				problems = append(problems, result.Problem{Severity: result.Incomplete, Kind: "missing",
					Text: fmt.Sprintf("%s has no complete run of %s", s.name, g.Configuration)})
			}
		}
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.base) == 0 || len(g.new) == 0 })
	return groups, problems
}

// matchAcross pairs what is equal without the named parts.
func matchAcross(base, new []result.Configuration, across []string, pair func(x, y result.Configuration), problems []result.Problem) (b, n []result.Configuration, _ []result.Problem) {
	byKey := func(list []result.Configuration) (order []result.Configuration, m map[result.Configuration][]result.Configuration) {
		m = map[result.Configuration][]result.Configuration{}
		for _, c := range list {
			k := c.Without(across...)
			if m[k] == nil {
				order = append(order, k)
			}
			m[k] = append(m[k], c)
		}
		return order, m
	}
	order, ofBase := byKey(base)
	newOrder, ofNew := byKey(new)
	for _, k := range order {
		switch x, y := ofBase[k], ofNew[k]; {
		case len(y) == 0:
			b = append(b, x...)
		case len(x) > 1 || len(y) > 1:
			problems = append(problems, result.Problem{Severity: result.Refused, Kind: "across",
				Text: fmt.Sprintf("--across %s: %s of %s stand against %s: compare files that hold one each",
					strings.Join(across, ","), amount.Count(len(x), "configuration"), x[0], amount.Count(len(y), "configuration"))})
		default:
			pair(x[0], y[0])
		}
	}
	for _, k := range newOrder {
		if ofBase[k] == nil {
			n = append(n, ofNew[k]...)
		}
	}
	return b, n, problems
}

// checkAcross finds names that are no part of a configuration, which is a mistake,
// and those that do not differ, which is worth a note: CI passes the same list for
// every change.
func checkAcross(across []string, b, n side) []result.Problem {
	known, values := partNames(b, n)
	var out []result.Problem
	for _, name := range across {
		switch {
		case !slices.Contains(known, name):
			return []result.Problem{{Severity: result.Refused, Kind: "across",
				Text: fmt.Sprintf("--across %s: it is no flag, parameter or setting of these runs%s; known are %s", name, nearest.DidYouMean(name, known), strings.Join(known, ", "))}}
		case len(values[name]) < 2:
			out = append(out, result.Problem{Severity: result.Note, Kind: "across", Text: fmt.Sprintf("--across %s: both sets have the same", name)})
		}
	}
	return out
}

// partNames lists the names of all parts, and the values of each.
func partNames(sides ...side) (names []string, values map[string]map[string]bool) {
	names, values = result.Parts(), map[string]map[string]bool{}
	var zero result.Configuration
	for _, s := range sides {
		for _, c := range s.order {
			for _, name := range slices.Sorted(maps.Keys(c.Params.Map())) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(c.Settings.Map())) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	for _, s := range sides {
		for _, c := range s.order {
			has := map[string]string{}
			for _, d := range zero.Diff(c) {
				has[d.Name] = d.New
			}
			for _, name := range names {
				if values[name] == nil {
					values[name] = map[string]bool{}
				}
				values[name][has[name]] = true
			}
		}
	}
	return names, values
}

// unlike says in what the configurations differ that were left over on both sides:
// each is held against the nearest one of the other side. Another strategy counts as
// another thing, unless the sets have nothing in common.
func unlike(base, new []result.Configuration, nothingCommon bool) *result.Problem {
	var differences []result.Difference
	var first *result.Configuration
	for _, c := range base {
		var best []result.Difference
		for _, d := range new {
			diff := c.Diff(d)
			if (c.Strategy == d.Strategy || nothingCommon) && (best == nil || len(diff) < len(best)) {
				best = diff
			}
		}
		for _, d := range best {
			if !slices.Contains(differences, d) {
				differences = append(differences, d)
			}
		}
		if best != nil && first == nil {
			first = &c
		}
	}
	if len(differences) == 0 {
		return nil
	}
	var texts, names []string
	for _, d := range differences {
		texts = append(texts, d.String())
		if !slices.Contains(names, d.Name) {
			names = append(names, d.Name)
		}
	}
	return &result.Problem{Severity: result.Refused, Kind: "configuration",
		Text: fmt.Sprintf("%s: the configurations differ: %s. To compare across that on purpose, use --across %s; to compare two variants under the same conditions, use qbench ab",
			first, strings.Join(texts, "; "), strings.Join(names, ","))}
}

// samplesOf are the runs that are samples, in the order in which they were made.
func samplesOf(runs []*result.Run) []*result.Run {
	out := slices.DeleteFunc(slices.Clone(runs), func(r *result.Run) bool { return !whole(r) })
	slices.SortStableFunc(out, func(a, b *result.Run) int { return a.StartedAt.Compare(b.StartedAt) })
	return out
}

// whole tells a run that is a sample from a part of one.
func whole(r *result.Run) bool {
	return !r.Interrupted && r.AbortedClients == 0 && !unaudited(r)
}

// unaudited is a run whose queue was not proved.
func unaudited(r *result.Run) bool {
	return !r.Audit.Made() && (r.Audit != nil || r.Workload != "")
}
