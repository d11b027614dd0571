package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"qbench/internal/result"
)

// Set is one side of a comparison: the runs of one or more result files, and
// what each file was measured on.
type Set struct {
	Name         string
	Runs         []*result.Run
	Environments []result.Environment
}

// NewSet puts the runs of several files together.
func NewSet(name string, files ...*result.File) Set {
	s := Set{Name: name}
	for _, f := range files {
		s.Runs = append(s.Runs, f.Runs...)
		s.Environments = append(s.Environments, f.Environment)
	}
	return s
}

// Config is what makes two runs the same thing, measured again.
type Config struct {
	Strategy string `json:"strategy"`
	Workload string `json:"workload,omitempty"`
	// Layout is plain, unlogged or partitioned; Unlogged is the durability of
	// the others.
	Layout     string `json:"layout,omitempty"`
	Unlogged   bool   `json:"unlogged"`
	Partitions int    `json:"partitions,omitempty"`
	Mode       string `json:"mode"`
	Clients    int    `json:"clients"`
	// Params are the script's parameters and what was asked of the load (rate,
	// producers, reconnecting), as "name=value name=value".
	Params string `json:"params,omitempty"`
}

func configOf(r *result.Run) Config {
	var params []string
	for name, value := range r.Params.Map() {
		params = append(params, name+"="+value)
	}
	if r.Rate > 0 {
		params = append(params, fmt.Sprintf("--rate=%g", r.Rate))
	}
	if r.Reconnect {
		params = append(params, "--connect")
	}
	if r.Producers != nil {
		params = append(params, fmt.Sprintf("--producers=%d", r.Producers.Clients))
	}
	slices.Sort(params)
	return Config{
		Strategy: r.Strategy, Workload: r.Workload, Layout: r.Layout, Unlogged: r.Unlogged || r.Layout == "unlogged",
		Partitions: r.Partitions, Mode: string(r.Mode), Clients: r.Clients, Params: strings.Join(params, " "),
	}
}

// String names a configuration among others.
func (c Config) String() string {
	s := c.Strategy
	if c.Params != "" {
		s += " " + c.Params
	}
	if layout := c.layout(); layout != "" {
		s += ", " + layout
	}
	return fmt.Sprintf("%s, %s, %d clients", s, c.Mode, c.Clients)
}

func (c Config) layout() string {
	s := c.Layout
	if c.Partitions > 0 {
		s += fmt.Sprintf(" (%d)", c.Partitions)
	}
	if c.Unlogged && c.Layout != "unlogged" {
		s = strings.TrimSpace(s + " unlogged")
	}
	return s
}

// logFloor stands for a throughput of nothing, which has no logarithm: far
// below anything that can be measured, so that it ranks last.
const logFloor = 1e-9

// samples are the values of a metric, one a run.
func samples(runs []*result.Run, m *result.Metric) []float64 {
	var out []float64
	for _, r := range runs {
		if e, ok := m.Of(r); ok && !math.IsNaN(e.Value) && !math.IsInf(e.Value, 0) && e.Value >= 0 {
			out = append(out, e.Value)
		}
	}
	return out
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(max(v, logFloor))
	}
	return out
}
