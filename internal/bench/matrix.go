package bench

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// Matrix is the runs of several configurations: each mix with each query mode and
// number of clients, on what they have in common.
type Matrix struct {
	Common  Spec
	Mixes   []*Mix
	Modes   []runner.Mode
	Clients []int
	Repeats int
}

// Specs lists the runs. Repeats take turns rather than following each other, so
// that a drift of the machine hits all configurations alike.
func (m *Matrix) Specs() []Spec {
	var specs []Spec
	for repeat := range m.Repeats {
		for _, mix := range m.Mixes {
			for _, mode := range m.Modes {
				for _, n := range m.Clients {
					s := m.Common
					s.Mix, s.Load.Mode, s.Clients, s.Repeat = mix, mode, n, repeat+1
					specs = append(specs, s)
				}
			}
		}
	}
	return specs
}

// Threads is how many event loops carry the clients: Load.Threads or, where that
// is 0, one per core, since each keeps a core busy when the load is high, but no
// more than there are clients. With a pool they are no more than its connections,
// of which each loop has its own.
func (s Spec) Threads() int {
	n := s.Load.Threads
	if n == 0 {
		n = min(runtime.NumCPU(), s.Clients)
	}
	if s.Pool > 0 {
		n = min(n, s.Pool)
	}
	return n
}

// String names a run among others: strategy, layout, clients and query mode.
func (s Spec) String() string {
	parts := []string{s.Mix.Name}
	if layout := s.Queue.Layout; layout != "" {
		if s.Queue.Unlogged && layout != schema.Unlogged {
			layout += " unlogged"
		}
		parts = append(parts, layout)
	}
	clients := "clients"
	if s.Clients == 1 {
		clients = "client"
	}
	return strings.Join(append(parts, fmt.Sprintf("%d %s", s.Clients, clients), string(s.Load.Mode)), ", ")
}

// Uses tells whether a script of the mix uses the variable.
func (m *Mix) Uses(variable string) bool {
	_, ok := m.Symbols.Lookup([]byte(variable))
	return ok
}

// ParamNames lists the parameters of the mix's strategies, each once.
func (m *Mix) ParamNames() []string {
	var names []string
	for _, s := range m.Scenarios {
		for _, p := range s.Params {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// WithParam lists the shipped strategies that have a parameter.
func WithParam(name string) []string {
	var names []string
	for _, s := range scenarios.List() {
		if s.HasParam(name) {
			names = append(names, s.Name)
		}
	}
	return names
}
