package cli

import (
	"strconv"

	"github.com/urfave/cli/v2"

	"qbench/schema"
)

// jobsFlags say what the jobs of the job queue are like.
func jobsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "priorities", Category: categoryQueue, Usage: "`N`: different priorities of the jobs in the job queue", DefaultText: strconv.Itoa(schema.DefaultPriorities)},
		&cli.StringFlag{Name: "entrypoints", Category: categoryQueue, Usage: "`N`: different functions that the jobs in the job queue are for; with the priorities they are the keys of its statistics", DefaultText: strconv.Itoa(schema.DefaultEntrypoints)},
	}
}

// readJobs reads the flags of jobsFlags.
func readJobs(v *values, o *schema.Options) {
	if v.given("priorities") {
		o.Priorities = int(v.integer("priorities", "priorities", 1, schema.MaxJobKeys))
	}
	if v.given("entrypoints") {
		o.Entrypoints = int(v.integer("entrypoints", "entrypoints", 1, schema.MaxJobKeys))
	}
}
