package cli

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"qbench/internal/bench"
	"qbench/internal/nearest"
	"qbench/runner"
	"qbench/runner/script"
	"qbench/scenarios"
	"qbench/schema"
)

// maxClients is PostgreSQL's own limit of connections (MAX_BACKENDS).
const maxClients = 1<<18 - 1

// defaultThreads is how many event loops carry the clients: one per core at
// most, since each keeps a core busy when the load is high, and no more than
// there are clients.
func defaultThreads(clients int) int { return min(runtime.NumCPU(), clients) }

// readSpecs turns the flags of a run into the runs of its matrix: every
// strategy with every query mode and number of clients. Repeats take turns
// rather than following each other, so that a drift of the machine hits all
// alike.
func readSpecs(v *values) []bench.Spec {
	base := readLoad(v)
	base.Feed = readFeed(v)
	base.Queue, base.KeepData = readQueue(v), v.c.Bool("keep-data")
	base.Setup = readSetup(v)
	base.RecoveryTimeout = readRecovery(v)
	if base.Feed != nil && !v.given("orders") {
		base.Queue.Orders = 0
	}
	mixes := readMixes(v)
	base.Load.Variables = readVariables(v, mixes)
	modes, clients := readModes(v), readClients(v)
	if n := readOpenLoop(v); n > 0 {
		base.OpenLoop, clients = true, []int{n}
	}
	repeats := v.integer("repeat", "repeats", 1, 10_000)
	if v.err != nil {
		return nil
	}
	var specs []bench.Spec
	for repeat := range int(repeats) {
		for _, mix := range mixes {
			for _, mode := range modes {
				for _, n := range clients {
					s := base
					s.Mix, s.Clients, s.Repeat = mix, n, repeat+1
					s.Load.Mode = mode
					if s.Load.Threads == 0 {
						s.Load.Threads = defaultThreads(n)
					}
					specs = append(specs, s)
				}
			}
		}
	}
	return resolve(v, specs)
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

// checkQueueFlags refuses flags that would do nothing.
func checkQueueFlags(v *values, specs []bench.Spec) {
	queue, partitioned := false, v.c.Bool("keep-data")
	for _, s := range specs {
		queue = queue || s.Mix.Workload() != ""
		partitioned = partitioned || s.Queue.Layout == schema.Partitioned
	}
	for _, flag := range []string{"layout", "unlogged", "partitions", "orders", "index", "claimed", "priorities", "entrypoints", "payload-bytes", "producers", "setup", "keep-data"} {
		if !queue && v.given(flag) {
			v.fail("--%s is about the queue, but the script uses none: leave it out, or say \"-- qbench: workload = orders\" in the script", flag)
		}
	}
	if v.given("partitions") && !partitioned {
		v.fail("--partitions is for the layout partitioned: give --layout partitioned, or leave it out")
	}
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// readLoad reads what is the same for all runs of a matrix.
func readLoad(v *values) bench.Spec {
	s := bench.Spec{ShowProgress: v.given("progress")}
	l := &s.Load
	l.Interval = time.Second
	if s.ShowProgress {
		l.Interval = time.Duration(v.integer("progress", "seconds", 1, math.MaxInt32)) * time.Second
	}
	if v.given("jobs") {
		l.Threads = int(v.integer("jobs", "threads", 1, maxClients))
		s.Jobs = l.Threads
	}
	switch {
	case v.given("time") && v.given("transactions"):
		v.fail("-T and -t exclude each other: give either a time or a number of transactions per client")
	case v.given("transactions"):
		l.Transactions = v.integer("transactions", "transactions", 1, math.MaxInt64)
	case v.given("time"):
		l.Duration = v.duration("time", time.Second)
	default:
		l.Duration, _ = parseDuration(defaultDuration, time.Second)
	}
	l.Warmup = v.duration("warmup", time.Second)
	l.MaxTries = int(v.integer("max-tries", "tries", 0, math.MaxInt32))
	l.Grace = v.duration("grace", time.Second)
	if v.given("pool") {
		s.Pool = int(v.integer("pool", "connections", 1, maxClients))
	}
	if v.given("rate") {
		s.Rate = v.positive("rate", "a rate")
	}
	if v.given("latency-limit") {
		if l.LatencyLimit = v.duration("latency-limit", time.Millisecond); l.LatencyLimit == 0 {
			v.fail("-L %q: use a time above 0", v.text("latency-limit"))
		}
	}
	if l.MaxTries == 0 && l.LatencyLimit == 0 && l.Duration == 0 {
		v.fail("--max-tries 0 (no limit) needs an end: give -L or -T")
	}
	l.Connect, l.PerStatement = v.c.Bool("connect"), v.c.Bool("report-per-command")
	l.VerboseErrors = v.c.Bool("verbose-errors")
	l.Seed = v.unsigned("seed")
	return s
}

// readQueue reads the flags of queueFlags. What was not given stays empty, and
// so agrees with any queue that is kept.
func readQueue(v *values) schema.Options {
	o := schema.Options{Layout: v.text("layout"), Unlogged: v.c.Bool("unlogged"), Seed: v.unsigned("seed"), Schema: v.text("schema-name")}
	layouts := []string{schema.Plain, schema.Unlogged, schema.Partitioned}
	if v.given("layout") && !slices.Contains(layouts, o.Layout) {
		v.fail("unknown layout %q%s (one of %s)", o.Layout, nearest.DidYouMean(o.Layout, layouts), strings.Join(layouts, ", "))
	}
	if v.given("partitions") || !v.c.Bool("keep-data") {
		o.Partitions = int(v.integer("partitions", "partitions", 1, schema.MaxPartitions))
	}
	if v.given("orders") || !v.c.Bool("keep-data") {
		least := int64(1) // without any a run would have nothing to take
		if v.given("producers") || v.c.Command.Name == "init" {
			least = 0
		}
		o.Orders = v.integer("orders", "orders", least, 1<<40)
	}
	readVariant(v, &o)
	return o
}

func readClients(v *values) []int {
	var out []int
	for _, text := range v.list("client") {
		out = append(out, int(v.parseInteger("client", text, "clients", 1, maxClients)))
	}
	return out
}

func readModes(v *values) []runner.Mode {
	var names []string
	for _, m := range runner.Modes {
		names = append(names, string(m))
	}
	var out []runner.Mode
	for _, text := range v.list("protocol") {
		if !slices.Contains(names, text) {
			v.fail("-M %q: unknown query mode%s (one of %s)", text, nearest.DidYouMean(text, names), strings.Join(names, ", "))
		}
		out = append(out, runner.Mode(text))
	}
	return out
}

// readMixes loads the strategies.
func readMixes(v *values) []*bench.Mix {
	files := v.c.StringSlice("file")
	switch {
	case len(files) > 0 && v.given("strategy"):
		v.fail("--strategy and -f exclude each other: -f mixes scripts in one run, --strategy lists runs")
	case len(files) > 0:
		var parts []bench.Part
		for _, f := range files {
			parts = append(parts, readPart(v, f))
		}
		return appendMix(v, nil, parts...)
	case !v.given("strategy"):
		v.fail("no strategy is named: give --strategy NAME (\"qbench strategies\" lists them), all, or a file such as ./mine.sql")
		return nil
	}
	var mixes []*bench.Mix
	for _, name := range v.list("strategy") {
		names := []string{name}
		if name == "all" {
			names = comparable()
		}
		for _, n := range names {
			mixes = appendMix(v, mixes, bench.Part{Name: n, Weight: 1})
		}
	}
	return mixes
}

// comparable lists the strategies of the order queue: what "all" is. Those of
// other workloads do other work, and have no place in one ranking with them.
func comparable() []string {
	var names []string
	for _, s := range scenarios.List() {
		if s.Workload == workload {
			names = append(names, s.Name)
		}
	}
	return names
}

func appendMix(v *values, mixes []*bench.Mix, parts ...bench.Part) []*bench.Mix {
	mix, err := bench.LoadMix(parts...)
	if err != nil {
		v.failElsewhere(err)
		return mixes
	}
	return append(mixes, mix)
}

// readPart splits FILE@WEIGHT at the last @, as pgbench does.
func readPart(v *values, text string) bench.Part {
	name, weight := text, int64(1)
	if at := strings.LastIndex(text, "@"); at >= 0 {
		name = text[:at]
		n, err := strconv.ParseInt(text[at+1:], 10, 32)
		if err != nil || n < 0 {
			v.fail("-f %q: %q is not a weight: use a whole number, 0 or more", text, text[at+1:])
		}
		weight = n
	}
	// A file may have any name here; a strategy is meant where there is none.
	if !strings.ContainsAny(name, `/\`) && !strings.HasSuffix(name, ".sql") {
		if _, err := os.Stat(name); err == nil {
			name = "./" + name
		}
	}
	return bench.Part{Name: name, Weight: int(weight)}
}

// readVariables collects -D and the flags that stand for parameters.
func readVariables(v *values, mixes []*bench.Mix) map[string]string {
	vars := v.pairs("define")
	for name := range vars {
		if !script.ValidName(name) {
			v.fail("-D %s: not a variable's name: use letters, digits and underscores", name)
		} else if !usesVariable(mixes, name) {
			v.fail("-D %s: no script of the run uses the variable %q%s", name, name, nearest.DidYouMean(name, paramNames(mixes)))
		}
	}
	set := func(flag, name, value string) {
		if _, twice := vars[name]; twice {
			v.fail("-D %s and --%s set the same: leave out one of them", name, flag)
		}
		for _, m := range mixes {
			if !m.HasParam(name) {
				v.fail("--%s: the strategy %q has no parameter %q; those that have it: %s", flag, m.Name, name, strings.Join(withParam(name), ", "))
			}
		}
		vars[name] = value
	}
	if v.given("batch") {
		set("batch", "batch", strconv.FormatInt(v.integer("batch", "orders per transaction", 1, math.MaxInt32), 10))
	}
	if v.given("work") {
		mean, exponential := readWork(v)
		set("work", "work", strconv.FormatInt(mean.Microseconds(), 10))
		set("work", "work_exp", map[bool]string{false: "0", true: "1"}[exponential])
	}
	return vars
}

// readWork reads TIME or exp(TIME).
func readWork(v *values) (mean time.Duration, exponential bool) {
	text := v.text("work")
	if inner, ok := strings.CutPrefix(text, "exp("); ok && strings.HasSuffix(inner, ")") {
		text, exponential = strings.TrimSuffix(inner, ")"), true
	}
	mean, err := time.ParseDuration(text)
	if err != nil || mean < 0 || mean > 0 && mean < time.Microsecond {
		v.fail("--work %q: not a time: use one such as 10ms or 500us, or exp(10ms)", v.text("work"))
	}
	return mean, exponential
}

func usesVariable(mixes []*bench.Mix, name string) bool {
	for _, m := range mixes {
		if _, ok := m.Symbols.Lookup([]byte(name)); ok {
			return true
		}
	}
	return len(mixes) == 0 // that mistake is reported by itself
}

func paramNames(mixes []*bench.Mix) []string {
	var names []string
	for _, m := range mixes {
		for _, s := range m.Scenarios {
			for _, p := range s.Params {
				names = append(names, p.Name)
			}
		}
	}
	return unique(names)
}

func withParam(name string) []string {
	var names []string
	for _, s := range scenarios.List() {
		if s.HasParam(name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// describeSpec names a run of a matrix.
func describeSpec(s bench.Spec, repeats bool) string {
	parts := []string{s.Mix.Name}
	if s.Queue.Layout != "" {
		layout := s.Queue.Layout
		if s.Queue.Unlogged && layout != schema.Unlogged {
			layout += " unlogged"
		}
		parts = append(parts, layout)
	}
	clients := "clients"
	if s.Clients == 1 {
		clients = "client"
	}
	parts = append(parts, fmt.Sprintf("%d %s", s.Clients, clients), string(s.Load.Mode))
	if repeats {
		parts = append(parts, fmt.Sprintf("repeat %d", s.Repeat))
	}
	return strings.Join(parts, ", ")
}
