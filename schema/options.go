package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The layouts of a queue.
const (
	Plain       = "plain"       // one logged table
	Unlogged    = "unlogged"    // one unlogged table
	Partitioned = "partitioned" // PARTITION BY HASH, logged unless Options.Unlogged
)

// DefaultPartitions is the number of partitions of the published comparison.
const DefaultPartitions = 256

// MaxPartitions bounds Options.Partitions. Replacing a queue locks its old and
// its new partitions with their indexes in one transaction. With PostgreSQL's
// default lock table (64 × 100) this was tried: 1024 fit, 2048 do not.
const MaxPartitions = 1024

// MaxPayloadBytes bounds Options.PayloadBytes: beyond a megabyte a queue should
// hold a reference, and seeding would measure the disk.
const MaxPayloadBytes = 1 << 20

// MinServerVersion is the oldest server that is accepted, as server_version_num
// has it. Hash partitions with a primary key would need 11; 14 is the oldest
// release that the tools beside it (pgbench's random numbers, the disposable
// server) are known to work with.
const MinServerVersion = 140000

// Options decides what is made.
type Options struct {
	// Workload is one of Workloads.
	Workload string `json:"workload"`
	// Layout is Plain, Unlogged or Partitioned; "" is Plain.
	Layout string `json:"layout"`
	// Unlogged makes the tables of any layout unlogged.
	Unlogged bool `json:"unlogged"`
	// Partitions is the number of hash partitions of the layout Partitioned;
	// 0 is DefaultPartitions. It is 0 in the other layouts.
	Partitions int `json:"partitions,omitempty"`
	// Schema is the schema's name; "" is the connection's current schema.
	Schema string `json:"-"`
	// Orders is the number of orders that Seed puts into the queue.
	Orders int64 `json:"orders"`
	// Seed is what the order numbers are derived from.
	Seed uint64 `json:"seed"`
	// Index is the variant of the queue's indexes, for workloads that have
	// several; "" is the workload's default.
	Index string `json:"index,omitempty"`
	// PayloadBytes is the size of what each order carries besides its number;
	// 0 is nothing.
	PayloadBytes int `json:"payload_bytes,omitempty"`
	// Claimed is how many of the seeded orders are claimed already, the oldest
	// first, by workers that will never complete them. For workloads with claims.
	Claimed int64 `json:"claimed,omitempty"`
	// Timed makes the tables record when each order was done, where they do not
	// by themselves: t_order_u then has a column "done" beyond the source's.
	Timed bool `json:"timed,omitempty"`
	// Priorities and Entrypoints are the numbers of different priorities and
	// functions among the workload jobs' orders; 0 is DefaultPriorities and
	// DefaultEntrypoints. They are 0 in the other workloads.
	Priorities  int `json:"priorities,omitempty"`
	Entrypoints int `json:"entrypoints,omitempty"`
	// Functions names the server-side functions and procedures that the scripts
	// call.
	Functions []string `json:"functions,omitempty"`
}

// Normalize fills in defaults and reports what cannot be made. The layouts
// Plain with Unlogged and Unlogged are one and the same; it is called Unlogged.
func (o Options) Normalize() (Options, error) {
	w, err := lookup(o.Workload)
	if err != nil {
		return o, err
	}
	o.Workload = w.name
	if o.Layout == "" {
		o.Layout = Plain
	}
	if !slices.Contains(w.layouts, o.Layout) {
		return o, fmt.Errorf("the workload %q has no layout %q: use one of %s", w.name, o.Layout, strings.Join(w.layouts, ", "))
	}
	if o.Layout == Unlogged {
		o.Unlogged = true
	}
	if o.Layout == Plain && o.Unlogged {
		o.Layout = Unlogged
	}
	switch {
	case o.Layout != Partitioned:
		o.Partitions = 0
	case o.Partitions == 0:
		o.Partitions = DefaultPartitions
	case o.Partitions < 1 || o.Partitions > MaxPartitions:
		return o, fmt.Errorf("%d partitions cannot be made: use a number from 1 to %d", o.Partitions, MaxPartitions)
	}
	if o.Orders < 0 {
		return o, fmt.Errorf("%d orders cannot be seeded: use 0 or more", o.Orders)
	}
	if err := checkSchemaName(o.Schema); err != nil {
		return o, err
	}
	switch {
	case len(w.variants) == 0 && o.Index != "":
		return o, fmt.Errorf("the workload %q has no variants of its indexes: leave out --index", w.name)
	case len(w.variants) > 0 && o.Index == "":
		o.Index = w.variants[0]
	case len(w.variants) > 0 && !slices.Contains(w.variants, o.Index):
		return o, fmt.Errorf("the workload %q has no index variant %q: use one of %s", w.name, o.Index, strings.Join(w.variants, ", "))
	}
	if o.PayloadBytes < 0 || o.PayloadBytes > MaxPayloadBytes {
		return o, fmt.Errorf("%d bytes of payload cannot be made: use a number from 0 to %d", o.PayloadBytes, MaxPayloadBytes)
	}
	if o.Claimed != 0 && !w.claims {
		return o, fmt.Errorf("orders of the workload %q cannot be claimed: leave out --claimed", w.name)
	}
	if o.Claimed < 0 || o.Claimed > o.Orders {
		return o, fmt.Errorf("%d of %d orders cannot be claimed: use a number from 0 to %d", o.Claimed, o.Orders, o.Orders)
	}
	if w.name != jobsName && (o.Priorities != 0 || o.Entrypoints != 0) {
		return o, fmt.Errorf("the workload %q has no priorities and entrypoints: leave them out, or use the workload %q", w.name, jobsName)
	}
	if w.normalize != nil {
		if err := w.normalize(&o); err != nil {
			return o, err
		}
	}
	for _, f := range o.Functions {
		if !slices.Contains(w.routines, f) {
			return o, fmt.Errorf("the workload %q has no function %q", w.name, f)
		}
		if layout := w.routineLayout[f]; layout != "" && layout != o.Layout {
			return o, fmt.Errorf("the function %s needs the layout %s, not %s", f, layout, o.Layout)
		}
	}
	o.Functions = slices.Compact(slices.Sorted(slices.Values(o.Functions)))
	return o, nil
}

// checkSchemaName refuses names that PostgreSQL would cut or keeps for itself.
func checkSchemaName(name string) error {
	switch {
	case len(name) > 63:
		return fmt.Errorf("the schema name %q is longer than PostgreSQL's 63 bytes", name)
	case strings.ContainsRune(name, 0):
		return fmt.Errorf("the schema name %q holds a zero byte", name)
	case strings.HasPrefix(name, "pg_"), name == "information_schema":
		return fmt.Errorf("the schema %q belongs to PostgreSQL: name another with --schema-name", name)
	}
	return nil
}

// ProducerVariables are the variables that the workload's producers take from
// what was made.
func (m *Made) ProducerVariables() map[string]string {
	v := map[string]string{"payload_bytes": strconv.Itoa(m.PayloadBytes)}
	if m.Workload == jobsName {
		v["priorities"], v["entrypoints"] = strconv.Itoa(m.Priorities), strconv.Itoa(m.Entrypoints)
	}
	return v
}
