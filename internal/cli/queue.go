package cli

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/nearest"
	"qbench/schema"
)

const (
	defaultOrders     = "1000000"
	defaultSeed       = "1"
	defaultPartitions = "256"
)

// queueFlags say which tables are made; layout is what they are without
// --layout.
func queueFlags(layout string) []cli.Flag {
	return append(variantFlags(),
		&cli.StringFlag{Name: "layout", Category: categoryQueue, Usage: "`LAYOUT`: plain (logged), unlogged or partitioned", DefaultText: layout},
		&cli.BoolFlag{Name: "unlogged", Category: categoryQueue, Usage: "make the tables unlogged, whatever the layout"},
		&cli.StringFlag{Name: "partitions", Category: categoryQueue, Value: defaultPartitions, Usage: "`N`: partitions of the layout partitioned"},
		&cli.StringFlag{Name: "orders", Category: categoryQueue, Value: defaultOrders, Usage: "`N`: orders that the queue is seeded with; with --producers none by default"},
		&cli.StringFlag{Name: "seed", Category: categoryQueue, Value: defaultSeed, Usage: "`N`: what order numbers and all random numbers are derived from"},
		schemaFlag(),
	)
}

func schemaFlag() cli.Flag {
	return &cli.StringFlag{Name: "schema-name", Category: categoryQueue, Usage: "`NAME`: schema of the tables; it is made if it does not exist", DefaultText: "the connection's"}
}

// variantFlags say what the tables of some workloads are like.
func variantFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "priorities", Category: categoryQueue, Usage: "`N`: different priorities of the jobs in the job queue", DefaultText: strconv.Itoa(schema.DefaultPriorities)},
		&cli.StringFlag{Name: "entrypoints", Category: categoryQueue, Usage: "`N`: different functions that the jobs in the job queue are for; with the priorities they are the keys of its statistics", DefaultText: strconv.Itoa(schema.DefaultEntrypoints)},
		&cli.StringFlag{Name: "index", Category: categoryQueue, Usage: "`KIND`: index of the claim queue besides its primary key: full (on process_id), partial (of unclaimed messages only) or none", DefaultText: schema.IndexFull},
		&cli.StringFlag{Name: "claimed", Category: categoryQueue, Usage: "`N`: seeded messages of the claim queue, the oldest ones, that a lost worker has claimed", DefaultText: "0"},
		&cli.StringFlag{Name: "payload-bytes", Category: categoryQueue, Usage: "`N`: bytes that each order carries besides its number", DefaultText: "0"},
	}
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

// readVariant reads the flags of variantFlags.
func readVariant(v *values, o *schema.Options) {
	o.Index = v.text("index")
	if v.given("priorities") {
		o.Priorities = int(v.integer("priorities", "priorities", 1, schema.MaxJobKeys))
	}
	if v.given("entrypoints") {
		o.Entrypoints = int(v.integer("entrypoints", "entrypoints", 1, schema.MaxJobKeys))
	}
	if v.given("claimed") {
		o.Claimed = v.integer("claimed", "claimed messages", 0, math.MaxInt32)
	}
	if v.given("payload-bytes") {
		o.PayloadBytes = int(v.integer("payload-bytes", "bytes", 0, schema.MaxPayloadBytes))
	}
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

func setupFlag() cli.Flag {
	return &cli.StringFlag{Name: "setup", Category: categoryQueue, Usage: "`FILE`: SQL that changes the queue once it is made and seeded, such as another index; it is one transaction"}
}

// readSetup reads the flag of setupFlag; nil is none.
func readSetup(v *values) *bench.Setup {
	if !v.given("setup") {
		return nil
	}
	if v.c.Bool("keep-data") {
		v.fail("--setup changes a queue that is made, and --keep-data makes none: leave out one of the two")
	}
	path := v.text("setup")
	text, err := os.ReadFile(path)
	if err != nil {
		v.failElsewhere(fmt.Errorf("--setup: %w", err))
		return nil
	}
	if strings.TrimSpace(string(text)) == "" {
		v.failElsewhere(fmt.Errorf("--setup: %s is empty", path))
	}
	return &bench.Setup{Name: path, SQL: string(text)}
}
