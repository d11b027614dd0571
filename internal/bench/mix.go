package bench

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"qbench/runner"
	"qbench/runner/script"
	"qbench/scenarios"
	"qbench/schema"
)

// Mix is what the clients of a run do: one strategy, or several of which each
// client picks one per transaction, by weight.
type Mix struct {
	// Name is the strategies' names, with "@" and the weight where that is not 1,
	// joined by "+" where there are several.
	Name      string
	Scenarios []*scenarios.Scenario
	Symbols   *script.Symbols
	weights   []int // of the scenarios
}

// Part names a strategy, or a file, and its share.
type Part struct {
	Name   string
	Weight int
}

// LoadMix reads the strategies of a run.
func LoadMix(parts ...Part) (*Mix, error) {
	m := &Mix{Symbols: script.NewSymbols()}
	var names []string
	weights := 0
	for _, p := range parts {
		s, err := scenarios.Load(p.Name, m.Symbols)
		if err != nil {
			return nil, err
		}
		m.weights = append(m.weights, p.Weight)
		weights += p.Weight
		m.Scenarios = append(m.Scenarios, s)
		name := s.Name
		if p.Weight != 1 {
			name += "@" + strconv.Itoa(p.Weight)
		}
		names = append(names, name)
	}
	if weights == 0 {
		return nil, errors.New("the weights of all scripts are 0: give at least one a weight above 0")
	}
	m.Name = strings.Join(names, "+")
	return m, nil
}

// tables matches the names of the order queue's tables in a statement.
var tables = regexp.MustCompile(`(?i)\bt_order_[qu](_\d+)?\b`)

// Workload names the workload whose tables the mix needs, "" for none. A
// user's plain pgbench script says nothing about it, but its statements do.
func (m *Mix) Workload() string {
	for _, s := range m.Scenarios {
		if s.Workload != "" {
			return s.Workload
		}
	}
	for _, s := range m.Scenarios {
		if s.CountsOrders() || tables.MatchString(s.Source) {
			return "orders"
		}
	}
	return ""
}

// CountsOrders tells whether some statement's result counts orders.
func (m *Mix) CountsOrders() bool {
	return slices.ContainsFunc(m.Scenarios, (*scenarios.Scenario).CountsOrders)
}

// HasParam tells whether a strategy of the mix has the parameter.
func (m *Mix) HasParam(name string) bool {
	return slices.ContainsFunc(m.Scenarios, func(s *scenarios.Scenario) bool { return s.HasParam(name) })
}

// Layout is the layout that the mix runs in: the wanted one, which has to fit
// all its strategies, or for "" the first that does.
func (m *Mix) Layout(wanted string) (string, error) {
	if m.Workload() == "" {
		return "", nil
	}
	fits := func(layout string) error {
		for _, s := range m.Scenarios {
			if err := s.Fits(layout); err != nil {
				return err
			}
		}
		return nil
	}
	if wanted != "" {
		return wanted, fits(wanted)
	}
	for _, layout := range []string{schema.Plain, schema.Unlogged, schema.Partitioned} {
		if fits(layout) == nil {
			return layout, nil
		}
	}
	return "", fmt.Errorf("no layout fits all of %s", m.Name)
}

// throughParent tells whether statements address a partitioned queue as a
// whole, and so lock every partition and its index.
func (m *Mix) throughParent() bool {
	return slices.ContainsFunc(m.Scenarios, func(s *scenarios.Scenario) bool { return !s.HasParam("partitions") })
}

// functions lists the server-side functions that the strategies call.
func (m *Mix) functions() []string {
	var list []string
	for _, s := range m.Scenarios {
		list = append(list, s.Functions...)
	}
	return list
}

// variables are the start values of all scripts' variables, and params those
// of them that were the user's to choose, for the record.
func (m *Mix) variables(clients, partitions int, given map[string]string) (variables, params map[string]string) {
	variables, params = map[string]string{}, map[string]string{}
	for _, s := range m.Scenarios {
		for name, value := range s.Variables(clients, partitions, given) {
			variables[name] = value
		}
		for _, p := range s.Params {
			// The run's own numbers are recorded as such.
			if p.Name != "clients" && p.Name != "partitions" {
				params[p.Name] = variables[p.Name]
			}
		}
	}
	for name, value := range given {
		params[name] = value
	}
	return variables, params
}

// scripts are the mix's scripts as the runner takes them.
func (m *Mix) scripts() []runner.Script {
	list := make([]runner.Script, len(m.Scenarios))
	for i, s := range m.Scenarios {
		list[i] = runnable(s, m.weights[i])
	}
	return list
}

// runnable is a script as the runner takes it.
func runnable(s *scenarios.Scenario, weight int) runner.Script {
	return runner.Script{Script: s.Script, Weight: weight, Orders: s.Orders, Most: s.Most, Inline: s.Inline}
}
