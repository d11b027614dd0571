package bench

import (
	"errors"
	"fmt"
	"time"

	"qbench/runner"
	"qbench/schema"
)

// Spec is one run: what the clients do, on which tables, under which load.
type Spec struct {
	Mix *Mix
	// Queue says which tables are made. Its workload and functions come from
	// the mix and its schema from the target; a layout of "" is the mix's own.
	// Nothing is made for a mix that needs no tables.
	Queue schema.Options
	// Setup changes the tables once they are made and seeded; nil is nothing.
	Setup *Setup
	// KeepData runs on the queue as an earlier run left it, and makes it only
	// where there is none. Where the queue is there, empty fields of Queue
	// take its values, and others must agree with it.
	KeepData bool
	Clients  int
	// Pool is the number of connections that the clients share, each borrowing
	// one for a transaction; 0 gives each its own.
	Pool int
	// Feed is the producers beside the clients; nil is none.
	Feed *Feed
	// Rate is the target of transaction starts per second; 0 is none.
	Rate float64
	// OpenLoop is for the record: the clients are as many as the rate may need.
	OpenLoop bool
	// Load is the rest of what the runner is told. Bench fills in the groups,
	// the symbols, the number of orders and the messages, and adds the
	// scripts' own defaults to the variables.
	Load runner.Config
	// Repeat numbers the repeats of one configuration, from 1. Each has random
	// numbers of its own, see Seed.
	Repeat int
	// Jobs is for the record: -j as it was given, 0 for the default.
	Jobs int
	// ShowProgress is for the record: -P was given.
	ShowProgress bool
	// RecoveryTimeout bounds the wait for a server that cannot be reached after
	// the load, and for server processes of the load that have not ended; 0 is
	// DefaultRecoveryTimeout.
	RecoveryTimeout time.Duration
}

// Seed is what the random numbers of the clients are derived from: Load.Seed in
// the first repeat, so that pgbench with this seed draws the same numbers, and
// one more in each further one. The orders' numbers stay those of Queue.Seed.
func (s *Spec) Seed() uint64 { return s.Load.Seed + uint64(max(1, s.Repeat)-1) }

// ownConnections is what a run connects besides its clients: one for the
// tables before and after it, one for the run lock, and one in reserve.
const ownConnections = 3

// Resolve fills in what follows from the mix and checks that both fit
// together. It connects to nothing.
func (s Spec) Resolve() (Spec, error) {
	if s.Clients < 1 {
		return s, fmt.Errorf("%d clients cannot run: use 1 or more", s.Clients)
	}
	if s.Pool > 0 {
		if s.Load.Connect {
			return s, errors.New("--pool shares connections, and -C makes a new one for each transaction: leave out one of the two")
		}
		s.Pool = min(s.Pool, s.Clients)
	}
	if s.Feed != nil {
		if err := s.Feed.check(&s); err != nil {
			return s, err
		}
	}
	s.Queue.Workload = s.Mix.Workload()
	if s.Queue.Workload == "" {
		return s, nil
	}
	if s.KeepData {
		return s, nil // the queue that is there decides
	}
	return s.resolveQueue()
}

// resolveQueue completes the options of the tables to make.
func (s Spec) resolveQueue() (Spec, error) {
	var err error
	if s.Queue.Layout, err = s.Mix.Layout(s.Queue.Layout); err != nil {
		return s, err
	}
	if s.Queue.Layout != schema.Partitioned {
		s.Queue.Partitions = 0
	}
	s.Queue.Functions = s.Mix.functions()
	s.Queue.Timed = s.Feed != nil
	if s.Queue, err = s.Queue.Normalize(); err != nil {
		return s, err
	}
	// --unlogged turns plain into a layout that may not fit.
	_, err = s.Mix.Layout(s.Queue.Layout)
	return s, err
}

// Connections is the number of connections of the clients and the producers.
func (s Spec) Connections() int {
	n := s.Clients
	if s.Pool > 0 {
		n = min(s.Pool, n)
	}
	if s.Feed != nil {
		n += s.Feed.Clients
	}
	return n
}

// LocksPerClient is the number of relations that a client of the run may have
// locked at a time, for the server's lock table.
func (s Spec) LocksPerClient() int {
	const others = 16 // the result table, its indexes, the catalogue
	if s.Queue.Layout != schema.Partitioned || !s.Mix.throughParent() {
		return others
	}
	partitions := s.Queue.Partitions
	if partitions == 0 {
		partitions = schema.DefaultPartitions
	}
	return 2*partitions + others
}
