package report

import (
	"fmt"
	"strings"

	"qbench/internal/amount"
	"qbench/internal/result"
)

// shownApart are the parts of a configuration that stand in columns of their
// own, or in every name of a run.
var shownApart = []string{"strategy", "layout", "unlogged", "partitions", "protocol", "client"}

// naming says of each configuration, as name=value, what tells it from the
// others of a file; none where nothing needs to be said.
type naming map[result.Configuration][]string

// nameRuns names runs by the parts of their configurations whose values are not
// the same in all of them. A script's own parameters are named where they tell
// runs of that script apart.
func nameRuns(runs []*result.Run) naming {
	configurations := distinct(runs)
	names := map[string]bool{}                 // of flags and settings
	ofStrategy := map[string]map[string]bool{} // of parameters, by strategy
	firstOf := map[string]result.Configuration{}
	for _, c := range configurations {
		first, ok := firstOf[c.Strategy]
		if !ok {
			first, firstOf[c.Strategy], ofStrategy[c.Strategy] = c, c, map[string]bool{}
		}
		for _, d := range first.Diff(c) {
			ofStrategy[c.Strategy][d.Name] = true
		}
		// A value that differs between any two differs from that of the first.
		a, b := configurations[0], c
		a.Params, b.Params = "", ""
		// It follows from the strategy.
		a.Workload, b.Workload = "", ""
		for _, d := range a.Diff(b) {
			names[d.Name] = true
		}
	}
	for _, name := range shownApart {
		delete(names, name)
		for _, own := range ofStrategy {
			delete(own, name)
		}
	}
	out := naming{}
	seen := map[string]bool{}
	for _, c := range configurations {
		out[c] = assigned(c, func(name string) bool { return names[name] || ofStrategy[c.Strategy][name] })
		// An unlogged layout, say, looks like the layout "unlogged" in its column.
		shown := fmt.Sprintf("%q %q %q %d %q", c.Strategy, c.LayoutName(), c.Mode, c.Clients, out[c])
		if seen[shown] {
			out[c] = assigned(c, func(name string) bool { return name != "strategy" })
		}
		seen[shown] = true
	}
	return out
}

// distinct lists the configurations of runs, each once, in their order.
func distinct(runs []*result.Run) []result.Configuration {
	var out []result.Configuration
	seen := map[result.Configuration]bool{}
	for _, r := range runs {
		if !seen[r.Configuration] {
			seen[r.Configuration] = true
			out = append(out, r.Configuration)
		}
	}
	return out
}

// describe names a run among others.
func (n naming) describe(r *result.Run) string {
	parts := []string{n.strategy(r)}
	if layout := r.LayoutName(); layout != "" {
		parts = append(parts, layout)
	}
	parts = append(parts, amount.Count(int64(r.Clients), "client"), r.Mode)
	if r.Repeat > 1 {
		parts = append(parts, fmt.Sprintf("repeat %d", r.Repeat))
	}
	return strings.Join(parts, ", ")
}

// strategy is the name of a run's strategy with what tells it from others.
func (n naming) strategy(r *result.Run) string {
	return strings.Join(append([]string{r.Strategy}, n[r.Configuration]...), " ")
}

// assigned lists the parts of a configuration that are chosen and not at their
// zero value, in the order of the configuration.
func assigned(c result.Configuration, chosen func(name string) bool) []string {
	var out []string
	for _, d := range c.Diff(result.Configuration{}) {
		if d.Base != "" && chosen(d.Name) {
			out = append(out, d.Name+"="+d.Base)
		}
	}
	return out
}
