package cli

import (
	"slices"
	"strings"
	"time"

	"qbench/internal/bench"
	"qbench/internal/capacity"
	"qbench/internal/result"
)

// capacityPlan is what the flags of the command ask for.
type capacityPlan struct {
	specs []bench.Spec // one per strategy, to be completed for each point
	feed  bench.Feed
	capacity.Plan
	confirm    time.Duration // negative: as the server's VACUUM asks for
	partitions bool          // the user chose their number
}

// shortest is the least of a measurement: below it a percentile is of a handful
// of transactions, and one checkpoint is all that is seen.
const shortest = 100 * time.Millisecond

func readCapacityPlan(v *values) *capacityPlan {
	p := &capacityPlan{
		Plan: capacity.Plan{
			Duration:   v.duration("time", time.Second),
			Precision:  v.percentage("precision", 0.1, 100),
			MaxRepeats: int(v.integer("max-repeats", "repeats", 2, 1000)),
			Headroom:   v.percentage("headroom", 0, 100),
			Backlog:    v.duration("backlog", time.Second),
		},
		confirm:    -1,
		partitions: v.given("partitions"),
		feed:       *readProducers(v),
	}
	if p.Duration < shortest {
		v.fail("-T %q: a measurement takes at least %s", v.text("time"), shortest)
	}
	p.readClients(v)
	p.readSLO(v)
	p.readFeed(v)
	p.readSpecs(v)
	return p
}

// readClients reads how many clients are to be tried.
func (p *capacityPlan) readClients(v *values) {
	if v.given("max-clients") {
		p.MaxClients = int(v.integer("max-clients", "clients", 1, maxClients))
	}
	if text := v.text("workers"); text != "auto" {
		p.Workers = int(v.parseInteger("workers", text, "workers (or auto)", 1, maxClients))
		if p.MaxClients > 0 && p.Workers > p.MaxClients {
			v.fail("--workers %d is above --max-clients %d: leave one of them out", p.Workers, p.MaxClients)
		}
		if !v.given("slo") && !v.given("soak") {
			v.fail("--workers says who holds an objective or a soak: give --slo or --soak, or --clients to sweep")
		}
		if v.given("clients") {
			v.fail("--workers is instead of a sweep, and --clients is about one: leave one of them out")
		}
	}
	if !v.given("clients") {
		return
	}
	for _, text := range v.list("clients") {
		n := int(v.parseInteger("clients", text, "clients", 1, maxClients))
		if !slices.Contains(p.Counts, n) {
			p.Counts = append(p.Counts, n)
		}
	}
	if !strings.Contains(v.text("clients"), ",") && len(p.Counts) == 1 {
		p.MaxSweep, p.Counts = p.Counts[0], nil
	}
}

func (p *capacityPlan) readSLO(v *values) {
	if v.given("slo") {
		var err error
		if p.SLO, err = result.ParseSLO(v.text("slo")); err != nil {
			v.fail("--slo: %w", err)
		}
	}
	for _, flag := range []string{"max-rate", "target-rate", "confirm", "backlog"} {
		if v.given(flag) && p.SLO == nil {
			v.fail("--%s is about an objective: give one with --slo, such as --slo 'queue_p99<20ms'", flag)
		}
	}
	if v.given("confirm") {
		if p.confirm = v.duration("confirm", time.Second); p.confirm == 0 && v.given("backlog") {
			v.fail("--backlog is about the long measurements, and --confirm 0 is none of them: leave one of them out")
		}
	}
	if v.given("max-rate") {
		p.MaxRate = v.positive("max-rate", "a rate")
	}
	if v.given("target-rate") {
		p.TargetRate = v.positive("target-rate", "a rate")
		if v.given("max-rate") {
			v.fail("--target-rate offers that rate and no other, so that --max-rate does nothing: leave one of them out")
		}
		if p.Workers > 0 {
			v.fail("--target-rate asks for the number of workers, and --workers gives one: leave one of them out")
		}
	}
	if v.given("soak") {
		if p.Soak = v.duration("soak", time.Second); p.Soak < shortest {
			v.fail("--soak %q: use a time of at least %s", v.text("soak"), shortest)
		}
	}
}

// fed tells whether there are points with producers.
func (p *capacityPlan) fed() bool { return p.SLO != nil || p.Soak > 0 }

func (p *capacityPlan) readFeed(v *values) {
	for _, flag := range []string{"producers", "enqueue-batch", "poll-interval", "notify", "headroom"} {
		if v.given(flag) && !p.fed() {
			v.fail("--%s is about a queue that is filled while it is emptied: give --slo or --soak, or leave it out", flag)
		}
	}
}

// readSpecs reads the strategies and what all their measurements have in
// common.
func (p *capacityPlan) readSpecs(v *values) {
	base := readCommon(v)
	base.Clients, base.Queue = 1, readQueue(v)
	p.MaxOrders = base.Queue.Orders
	l := &base.Load
	l.Duration, l.Warmup = p.Duration, p.Duration/10
	if v.given("warmup") {
		l.Warmup = v.duration("warmup", time.Second)
	}
	modes := readModes(v)
	if len(modes) > 1 {
		v.fail("-M %q: a capacity is that of one query mode: give one", v.text("protocol"))
	}
	mixes := readMixes(v)
	l.Variables = readVariables(v, mixes)
	if v.err != nil {
		return
	}
	l.Mode = modes[0]
	for _, mix := range mixes {
		if !mix.CountsOrders() {
			v.fail("%s counts no orders, so that it has no rate of orders: mark the statement with \"-- qbench: orders\"", mix.Name)
		}
		s := base
		s.Mix = mix
		if p.fed() {
			feed := p.feed
			s.Feed = &feed
		}
		p.specs = append(p.specs, s)
	}
	p.specs = resolve(v, p.specs)
	if err := p.refuseSLO(p.confirm); err != nil {
		v.fail("%w", err)
	}
}
