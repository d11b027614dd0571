package runner

import (
	"fmt"
	"runtime"
	"slices"

	"qbench/internal/result"
	"qbench/runner/loop"
	"qbench/runner/script"
)

// loopsFor is how many event loops carry the given number of threads: more than
// there are processors for Go would only wait for each other.
func loopsFor(threads, cores int) int { return min(threads, cores) }

// makeThreads deals the clients out and draws the random seeds in pgbench's
// order: one per client, the default seed of hash functions, then three per
// thread (script choice, schedule, log sampling).
func (r *run) deal() error {
	cfg := &r.cfg
	base := script.NewRand(cfg.Seed)
	total := 0
	for _, g := range cfg.groups() {
		total += g.Clients
	}
	n := min(max(1, cfg.Threads), total)
	for i := range n {
		r.threads = append(r.threads, &thread{index: i, schedules: make([]schedule, len(cfg.groups()))})
	}
	loops := loopsFor(n, runtime.GOMAXPROCS(0))
	// A loop that has the processor to itself anyway, or that other goroutines
	// connect for, leaves it to Go's scheduler while it waits.
	polite := cfg.Connect || loops < runtime.GOMAXPROCS(0)
	for range loops {
		l, err := r.newLoop(polite)
		if err != nil {
			return err
		}
		r.loops = append(r.loops, l)
	}
	var clients []*client
	for gi := range cfg.groups() {
		clients = append(clients, r.dealGroup(gi, len(clients))...)
	}
	for _, c := range clients {
		c.rand = script.NewRand(base.Uint64())
	}
	if err := r.setVariables(clients, &base); err != nil {
		return err
	}
	for _, t := range r.threads {
		t.chooseRand = script.NewRand(base.Uint64())
		throttle := script.NewRand(base.Uint64())
		for gi := range t.schedules {
			t.schedules[gi].rand = throttle
			throttle = script.NewRand(throttle.Uint64())
		}
		t.sampleRand = script.NewRand(base.Uint64())
	}
	return nil
}

func (r *run) newLoop(polite bool) (*eventLoop, error) {
	poll, err := loop.New()
	if err != nil {
		return nil, err
	}
	if polite {
		poll.BePolite()
	}
	l := &eventLoop{run: r, poll: poll, core: -1, ended: make(chan struct{})}
	for gi := range r.cfg.groups() {
		g := r.cfg.groups()[gi]
		tg := &group{Group: g, index: gi, programs: r.programs[gi], rate: g.Rate, idle: int64(g.Idle), stats: result.NewStats(g.Rate > 0)}
		for _, p := range tg.programs {
			tg.weights += int64(p.Weight)
			l.statements = append(l.statements, make([]statementStats, len(p.steps)))
		}
		if len(tg.programs) > 1 {
			for range tg.programs {
				tg.scripts = append(tg.scripts, result.NewStats(g.Rate > 0))
			}
		}
		l.groups = append(l.groups, tg)
	}
	return l, nil
}

// dealGroup gives each thread its share of a group, in runs of neighbouring
// client numbers as pgbench deals them.
func (r *run) dealGroup(gi, firstID int) []*client {
	cfg := &r.cfg
	g := cfg.groups()[gi]
	var clients []*client
	n := len(r.threads)
	for i, t := range r.threads {
		share := (g.Clients - len(clients) + n - i - 1) / (n - i)
		l := r.loops[i*len(r.loops)/n]
		if g.Rate > 0 {
			// Each thread with clients of the group carries its part.
			t.schedules[gi].delay = 1e6 / g.Rate * float64(min(n, g.Clients))
		}
		for range share {
			c := &client{id: firstID + len(clients), loop: l, thread: t, group: l.groups[gi], vars: script.NewVars(cfg.Symbols)}
			c.env = script.Env{Vars: c.vars, Rand: &c.rand, Debug: r.debugValue}
			c.timer.Fire = c.wake
			l.clients = append(l.clients, c)
			l.live++
			clients = append(clients, c)
		}
	}
	if g.Pool > 0 {
		r.dealPool(gi)
	}
	return clients
}

// dealPool gives each event loop with clients of the group its share of the
// connections, at least one.
func (r *run) dealPool(gi int) {
	left := r.cfg.groups()[gi].Pool
	for i, l := range r.loops {
		if !slices.ContainsFunc(l.clients, func(c *client) bool { return c.group.index == gi }) {
			continue
		}
		rest := len(r.loops) - i
		size := max(1, (left+rest-1)/rest)
		left -= size
		l.groups[gi].pool = &pool{size: size}
	}
}

func (r *run) debugValue(script, command int, v script.Value) {
	r.message("", fmt.Sprintf("debug(script=%d,command=%d): %s", script, command+1, v.AppendDebug(nil)))
}

// setVariables gives every client pgbench's automatic variables and those of
// the caller, which win.
func (r *run) setVariables(clients []*client, base *script.Rand) error {
	cfg := &r.cfg
	given := func(name string) bool { _, ok := cfg.Variables[name]; return ok }
	set := func(name string, value func(c *client) script.Value) {
		if slot, ok := cfg.Symbols.Lookup([]byte(name)); ok && !given(name) {
			for _, c := range clients {
				c.vars.Set(slot, value(c))
			}
		}
	}
	for name, text := range cfg.Variables {
		if !script.ValidName(name) {
			return fmt.Errorf("invalid variable name: %q", name)
		}
		if slot, ok := cfg.Symbols.Lookup([]byte(name)); ok {
			for _, c := range clients {
				c.vars.SetText(slot, []byte(text))
			}
		}
	}
	set("scale", func(*client) script.Value { return script.Int(1) })
	set("client_id", func(c *client) script.Value { return script.Int(int64(c.id)) })
	if !given("default_seed") {
		seed := script.Int(int64(base.Uint64()))
		set("default_seed", func(*client) script.Value { return seed })
	}
	set("random_seed", func(*client) script.Value { return script.Int(int64(cfg.Seed)) })
	return nil
}
