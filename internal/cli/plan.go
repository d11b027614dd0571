package cli

import (
	"strings"

	"qbench/internal/bench"
)

// readSpecs turns the flags of a run into the runs of its matrix.
func readSpecs(v *values) []bench.Spec {
	m := &bench.Matrix{Common: readLoad(v)}
	base := &m.Common
	base.Feed = readFeed(v)
	base.Queue, base.KeepData = readQueue(v), v.c.Bool("keep-data")
	base.Setup = readSetup(v)
	if base.Feed != nil && !v.given("orders") {
		base.Queue.Orders = 0
	}
	m.Mixes, m.Modes, m.Clients = readMixes(v), readModes(v), readClients(v)
	base.Load.Variables = readVariables(v, m.Mixes)
	if n := readOpenLoop(v); n > 0 {
		base.OpenLoop, m.Clients = true, []int{n}
	}
	m.Repeats = int(v.integer("repeat", "repeats", 1, 10_000))
	if v.err != nil {
		return nil
	}
	return resolve(v, m.Specs())
}

// resolve checks what can be known without a server.
func resolve(v *values, specs []bench.Spec) []bench.Spec {
	var fits []string
	var first error
	for i, s := range specs {
		if s.Load.Duration == 0 && s.Load.Transactions == 0 && !s.Mix.CountsOrders() {
			v.fail("%s counts no orders, so that only -T or -t can end its run: give one of them", s.Mix.Name)
		}
		resolved, err := s.Resolve()
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		fits = append(fits, s.Mix.Name)
		specs[i] = resolved
	}
	checkQueueFlags(v, specs)
	switch {
	case first == nil:
	case len(fits) > 0:
		v.fail("%w; those that fit: --strategy %s", first, strings.Join(unique(fits), ","))
	default:
		v.fail("%w", first)
	}
	return specs
}
