//go:build linux

package bench_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"qbench/internal/bench"
	"qbench/runner"
	"qbench/scenarios"
	"qbench/schema"
)

// plan is one trial: everything follows from its seed, except the moments at
// which the server and the clients meet.
type plan struct {
	seed   uint64
	random *rand.Rand // for what the fault chooses
	fault  *fault

	strategy, layout string
	script           *userScript // nil for a shipped strategy
	mode             runner.Mode
	transport        string // unix, tcp or tls
	clients, pool    int
	reconnect        bool // -C
	feed             *bench.Feed
	orders           int64
	batch            int64 // orders per transaction
	work             time.Duration
	goOn             bool // --continue-on-error
	duration         time.Duration
	delay            time.Duration // from the first interval to the fault
	grace, recovery  time.Duration
}

// newPlan draws a trial. The seed's remainder is the fault, so that a seed alone
// replays a trial although faults are dealt in turn.
func newPlan(seed uint64) *plan {
	random := rand.New(rand.NewPCG(seed, 11))
	p := &plan{seed: seed, random: random, fault: faults[seed%uint64(len(faults))]}
	var strategies []*scenarios.Scenario
	for _, s := range scenarios.List() {
		if s.Workload == "orders" {
			strategies = append(strategies, s)
		}
	}
	s := pick(random, strategies)
	p.strategy, p.layout = s.Name, pick(random, s.Layouts)
	p.mode = pick(random, runner.Modes)
	p.transport = pick(random, []string{"unix", "tcp", "tls", "tls"})
	p.clients = 4 + random.IntN(5)
	switch random.IntN(6) {
	case 0, 1:
		p.pool = 1 + random.IntN(p.clients)
	case 2:
		p.reconnect = true
	}
	if random.IntN(4) == 0 {
		p.feed = &bench.Feed{Clients: 2, Batch: 1 + random.IntN(3), Poll: time.Millisecond, Notify: p.pool == 0 && !p.reconnect && random.IntN(2) == 0}
	}
	p.orders = int64(8000 + random.IntN(12000))
	p.batch = 1
	if s.HasParam("batch") {
		p.batch = int64(2 + random.IntN(4))
	}
	if random.IntN(2) == 0 {
		p.work = time.Duration(1+random.IntN(5)) * time.Millisecond
	}
	if random.IntN(5) == 0 {
		p.script = &userScripts[random.IntN(len(userScripts))]
		p.strategy, p.batch, p.work = p.script.name, p.script.batch, 0
		p.layout = pick(random, []string{schema.Plain, schema.Unlogged})
		if p.script.mode != "" {
			p.mode = p.script.mode
		}
	}
	p.goOn = random.IntN(3) == 0
	p.duration = time.Duration(500+random.IntN(700)) * time.Millisecond
	p.delay = time.Duration(random.IntN(250)) * time.Millisecond
	p.grace, p.recovery = time.Second, 20*time.Second
	if p.fault.shape != nil {
		p.fault.shape(p)
	}
	return p
}

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// spec is what bench is told. A user's script is written into the folder.
func (p *plan) spec(folder string) (bench.Spec, error) {
	name, variables := p.strategy, map[string]string{}
	if p.script != nil {
		var err error
		if name, err = p.script.write(folder); err != nil {
			return bench.Spec{}, err
		}
	} else {
		variables["work"] = fmt.Sprint(p.work.Microseconds())
		if p.batch > 1 {
			variables["batch"] = fmt.Sprint(p.batch)
		}
	}
	mix, err := bench.LoadMix(bench.Part{Name: name, Weight: 1})
	if err != nil {
		return bench.Spec{}, err
	}
	return bench.Spec{
		Mix: mix, Clients: p.clients, Pool: p.pool, Feed: p.feed, Repeat: 1, Setup: p.fault.setup, RecoveryTimeout: p.recovery,
		Queue: schema.Options{Orders: p.orders, Layout: p.layout, Partitions: partitions(p.layout), Seed: p.seed},
		Load: runner.Config{
			Threads: 2, Mode: p.mode, MaxTries: 100, Seed: p.seed, Duration: p.duration, Grace: p.grace, Connect: p.reconnect,
			ContinueOnError: p.goOn, Interval: 50 * time.Millisecond, Variables: variables,
		},
	}, nil
}

func partitions(layout string) int {
	if layout == schema.Partitioned {
		return 8
	}
	return 0
}

// everyone is the number of clients, producers included.
func (p *plan) everyone() int {
	if p.feed == nil {
		return p.clients
	}
	return p.clients + p.feed.Clients
}

// loses tells whether the fault may lose orders, so that a failed audit can be
// right. A crash empties unlogged tables.
func (p *plan) loses() bool { return p.fault.loses || p.fault.crash && p.layout == schema.Unlogged }

func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s × %s × %s × %s, %s, %d clients", p.fault.name, p.strategy, p.mode, p.transport, p.layout, p.clients)
	for _, w := range []struct {
		on   bool
		text string
	}{
		{p.pool > 0, fmt.Sprintf("pool %d", p.pool)},
		{p.reconnect, "-C"},
		{p.batch > 1, fmt.Sprintf("batch %d", p.batch)},
		{p.work > 0, fmt.Sprintf("work %v", p.work)},
		{p.goOn, "--continue-on-error"},
	} {
		if w.on {
			b.WriteString(", " + w.text)
		}
	}
	if f := p.feed; f != nil {
		fmt.Fprintf(&b, ", %d producers (batch %d, notify %v)", f.Clients, f.Batch, f.Notify)
	}
	fmt.Fprintf(&b, ", %v of load, fault after %v", p.duration, p.delay)
	return b.String()
}
