package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Configuration is everything that was asked for and that may move the numbers:
// the flags, the strategy's name, the base seed, and the server's major version and
// settings. Two runs measured the same thing if and only if their configurations
// are equal. What only reports differently (-P, -r, -l, --json) is no part of it.
// Texts of scripts, the minor version, the machine and qbench's version are
// not either: a comparison names those ([AlsoDifferent]) and refuses nothing,
// because a changed script under the same name is what CI is there to judge.
type Configuration struct {
	Strategy   string `json:"strategy"`
	Workload   string `json:"workload,omitempty"` // orders, claims, jobs; "" for a script without a queue
	Layout     string `json:"layout,omitempty"`   // plain, unlogged, partitioned
	Unlogged   bool   `json:"unlogged"`
	Partitions int    `json:"partitions,omitempty"`
	Index      string `json:"index,omitempty"` // variant of the queue's indexes
	// SeededOrders, PayloadBytes, Claimed, Priorities and Entrypoints are what the
	// queue was seeded with.
	SeededOrders int64  `json:"seeded_orders"`
	PayloadBytes int    `json:"payload_bytes,omitempty"`
	Claimed      int64  `json:"claimed,omitempty"`
	Priorities   int    `json:"priorities,omitempty"`
	Entrypoints  int    `json:"entrypoints,omitempty"`
	Setup        string `json:"setup,omitempty"` // name of the --setup file
	KeepData     bool   `json:"keep_data,omitempty"`
	// Params are the script's parameters and -D.
	Params Assignments `json:"params,omitempty"`
	Mode   string      `json:"mode"` // simple, extended, prepared, pipelined
	// Clients are the consumers; OpenLoop says that they are as many as the rate
	// may need.
	Clients  int  `json:"clients"`
	OpenLoop bool `json:"open_loop,omitempty"`
	Jobs     int  `json:"jobs,omitempty"` // -j; 0 is the default, which follows from the machine
	// Pool is the number of connections that the clients share; 0 is one each.
	Pool             int     `json:"pool,omitempty"`
	WarmupS          float64 `json:"warmup_s,omitempty"`
	WantDurationS    float64 `json:"want_duration_s,omitempty"`
	WantTransactions int64   `json:"want_transactions,omitempty"` // per client
	MaxTries         int     `json:"max_tries"`                   // 0 is no limit
	Rate             float64 `json:"rate,omitempty"`              // transaction starts per second
	LatencyLimitMS   float64 `json:"latency_limit_ms,omitempty"`  // -L
	Reconnect        bool    `json:"reconnect,omitempty"`         // -C
	Enqueue          Enqueue `json:"enqueue,omitzero"`
	// BaseSeed is --seed; repeat n of a run uses BaseSeed + n - 1 (see Run.Seed).
	BaseSeed    uint64 `json:"base_seed"`
	ServerMajor int    `json:"server_major,omitempty"`
	// Settings are those of the server that move the numbers of a queue.
	Settings Assignments `json:"settings,omitempty"`
}

// Enqueue is what was asked of the producers; the zero value is none.
type Enqueue struct {
	Producers int     `json:"producers"`
	Rate      float64 `json:"rate,omitempty"` // orders per second of all; 0 is as many as possible
	Batch     int     `json:"batch"`          // orders per transaction
	// PollMS is how long an idle consumer waits before it looks again; with
	// Notify a notification ends the wait.
	PollMS float64 `json:"poll_ms,omitempty"`
	Notify bool    `json:"notify,omitempty"`
}

// Assignments are names with values. Unlike a map they can be compared with ==.
type Assignments string

// Assign makes assignments of a map.
func Assign(m map[string]string) Assignments {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s\x00%s\x00", name, m[name])
	}
	return Assignments(b.String())
}

// Map is the assignments as a map of the caller's own.
func (a Assignments) Map() map[string]string {
	m := map[string]string{}
	for rest := string(a); rest != ""; {
		var name, value string
		name, rest, _ = strings.Cut(rest, "\x00")
		value, rest, _ = strings.Cut(rest, "\x00")
		m[name] = value
	}
	return m
}

// MarshalJSON writes an object.
func (a Assignments) MarshalJSON() ([]byte, error) { return json.Marshal(a.Map()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Assignments) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	*a = Assign(m)
	return nil
}

// factor is a part of a configuration under the name of its flag.
type factor struct {
	name  string
	text  func(*Configuration) string
	clear func(*Configuration)
}

// plainFactors are all parts but the assignments, whose names are factors of
// their own.
var plainFactors = []factor{
	of("strategy", func(c *Configuration) *string { return &c.Strategy }),
	of("workload", func(c *Configuration) *string { return &c.Workload }),
	of("layout", func(c *Configuration) *string { return &c.Layout }),
	of("unlogged", func(c *Configuration) *bool { return &c.Unlogged }),
	of("partitions", func(c *Configuration) *int { return &c.Partitions }),
	of("index", func(c *Configuration) *string { return &c.Index }),
	of("orders", func(c *Configuration) *int64 { return &c.SeededOrders }),
	of("payload-bytes", func(c *Configuration) *int { return &c.PayloadBytes }),
	of("claimed", func(c *Configuration) *int64 { return &c.Claimed }),
	of("priorities", func(c *Configuration) *int { return &c.Priorities }),
	of("entrypoints", func(c *Configuration) *int { return &c.Entrypoints }),
	of("setup", func(c *Configuration) *string { return &c.Setup }),
	of("keep-data", func(c *Configuration) *bool { return &c.KeepData }),
	of("protocol", func(c *Configuration) *string { return &c.Mode }),
	of("client", func(c *Configuration) *int { return &c.Clients }),
	of("open-loop", func(c *Configuration) *bool { return &c.OpenLoop }),
	of("jobs", func(c *Configuration) *int { return &c.Jobs }),
	of("pool", func(c *Configuration) *int { return &c.Pool }),
	of("warmup", func(c *Configuration) *float64 { return &c.WarmupS }),
	of("time", func(c *Configuration) *float64 { return &c.WantDurationS }),
	of("transactions", func(c *Configuration) *int64 { return &c.WantTransactions }),
	of("max-tries", func(c *Configuration) *int { return &c.MaxTries }),
	of("rate", func(c *Configuration) *float64 { return &c.Rate }),
	of("latency-limit", func(c *Configuration) *float64 { return &c.LatencyLimitMS }),
	of("connect", func(c *Configuration) *bool { return &c.Reconnect }),
	of("producers", func(c *Configuration) *int { return &c.Enqueue.Producers }),
	of("enqueue-rate", func(c *Configuration) *float64 { return &c.Enqueue.Rate }),
	of("enqueue-batch", func(c *Configuration) *int { return &c.Enqueue.Batch }),
	of("poll-interval", func(c *Configuration) *float64 { return &c.Enqueue.PollMS }),
	of("notify", func(c *Configuration) *bool { return &c.Enqueue.Notify }),
	of("seed", func(c *Configuration) *uint64 { return &c.BaseSeed }),
	of("server", func(c *Configuration) *int { return &c.ServerMajor }),
}

// Parts lists the names of all parts but parameters and settings, which have the
// names that they were given.
func Parts() []string {
	names := make([]string, len(plainFactors))
	for i, f := range plainFactors {
		names[i] = f.name
	}
	return names
}

func of[T comparable](name string, field func(*Configuration) *T) factor {
	var zero T
	return factor{
		name: name,
		text: func(c *Configuration) string {
			v := *field(c)
			if v == zero {
				return ""
			}
			switch v := any(v).(type) {
			case bool:
				return "yes"
			case float64:
				return strconv.FormatFloat(v, 'g', -1, 64)
			default:
				return fmt.Sprint(v)
			}
		},
		clear: func(c *Configuration) { *field(c) = zero },
	}
}

// Difference is a part in which two configurations differ: the name of its
// flag, parameter or setting, and both values, "" for none.
type Difference struct {
	Name string `json:"name"`
	Base string `json:"base"`
	New  string `json:"new"`
}

func (d Difference) String() string {
	show := func(v string) string {
		if v == "" {
			return "none"
		}
		return v
	}
	return d.Name + " " + show(d.Base) + " against " + show(d.New)
}

// Diff lists what differs; nothing does if and only if c == o.
func (c Configuration) Diff(o Configuration) []Difference {
	var out []Difference
	for _, f := range plainFactors {
		if a, b := f.text(&c), f.text(&o); a != b {
			out = append(out, Difference{f.name, a, b})
		}
	}
	for _, both := range [][2]Assignments{{c.params(), o.params()}, {c.Settings, o.Settings}} {
		a, b := both[0].Map(), both[1].Map()
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			va, inA := a[name]
			vb, inB := b[name]
			if va != vb || inA != inB {
				out = append(out, Difference{name, va, vb})
			}
		}
	}
	return out
}

// Without is the configuration with the named parts left out, as "--across"
// compares.
func (c Configuration) Without(names ...string) Configuration {
	for _, f := range plainFactors {
		if slices.Contains(names, f.name) {
			f.clear(&c)
		}
	}
	params, settings := c.Params.Map(), c.Settings.Map()
	maps.DeleteFunc(params, func(name, _ string) bool { return slices.Contains(names, paramName(name)) })
	maps.DeleteFunc(settings, func(name, _ string) bool { return slices.Contains(names, name) })
	c.Params, c.Settings = Assign(params), Assign(settings)
	return c
}

// params are the parameters under the names of their differences.
func (c *Configuration) params() Assignments {
	m := map[string]string{}
	for name, value := range c.Params.Map() {
		m[paramName(name)] = value
	}
	return Assign(m)
}

// paramName tells a parameter from the flag of the same name.
func paramName(name string) string {
	if slices.ContainsFunc(plainFactors, func(f factor) bool { return f.name == name }) {
		return "-D " + name
	}
	return name
}

// String names the configuration as reports and messages do: the strategy with
// its parameters, the layout, the query mode and the clients. It does not tell
// all configurations apart; Diff does.
func (c Configuration) String() string {
	s := c.Strategy
	params := c.Params.Map()
	for _, name := range slices.Sorted(maps.Keys(params)) {
		s += " " + name + "=" + params[name]
	}
	if c.Rate > 0 {
		s += fmt.Sprintf(" --rate=%g", c.Rate)
	}
	if c.Reconnect {
		s += " --connect"
	}
	if c.Enqueue.Producers > 0 {
		s += fmt.Sprintf(" --producers=%d", c.Enqueue.Producers)
	}
	if layout := c.LayoutName(); layout != "" {
		s += ", " + layout
	}
	clients := "clients"
	if c.Clients == 1 {
		clients = "client"
	}
	return fmt.Sprintf("%s, %s, %d %s", s, c.Mode, c.Clients, clients)
}

// LayoutName is the layout with its number of partitions and its durability.
func (c Configuration) LayoutName() string {
	s := c.Layout
	if c.Partitions > 0 {
		s += fmt.Sprintf(" (%d)", c.Partitions)
	}
	if c.Unlogged && c.Layout != "unlogged" {
		s = strings.TrimSpace(s + " unlogged")
	}
	return s
}
