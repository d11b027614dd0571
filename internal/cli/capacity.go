package cli

import (
	"slices"
	"strings"

	"qbench/report"

	"github.com/urfave/cli/v2"
)

const (
	categorySweep = "Sweep"
	categorySLO   = "Service-level objective"
)

const (
	defaultCapacityTime = "5"
	defaultPointOrders  = "5000000"
	defaultPrecision    = "3%"
	defaultHeadroom     = "30%"
	defaultProducers    = "8"
	defaultRepeats      = "10"
)

func (a *app) capacityCommand() *cli.Command {
	var flags []cli.Flag
	flags = append(flags, strategyFlags()...)
	flags = append(flags, capacityFlags()...)
	flags = append(flags, pick(loadFlags(), "jobs", "protocol", "max-tries", "grace")...)
	flags = append(flags, pick(feedFlags(), "enqueue-batch", "poll-interval", "notify")...)
	flags = append(flags, pick(queueFlags("plain, or the strategy's own"),
		"layout", "unlogged", "partitions", "seed", "schema-name", "index", "claimed", "payload-bytes", "priorities", "entrypoints")...)
	flags = append(flags, serverFlags()...)
	flags = append(flags, pick(reportFlags(), "json", "no-color")...)
	flags = append(flags, pick(messageFlags(), "verbose-errors")...)
	return &cli.Command{
		Name:  "capacity",
		Usage: "find how many clients to run and the highest arrival rate that meets an objective",
		Description: "Measures orders per second by number of clients, in an order that a drift of the server does not favour and often enough for the " +
			"wanted precision, and fits the Universal Scalability Law to it. With --slo it searches the highest arrival rate that still meets the " +
			"objective and keeps the queue short; with --target-rate too, the fewest workers for that rate. Each measurement is a run of its own on a new " +
			"queue, and audited.\n\n" +
			"An objective is METRIC OP VALUE[UNIT] as in --fail-if, several with commas between, and all must be true: p99 (of the transactions that moved " +
			"an order), queue_p99 (from enqueued to taken), e2e_p99 (from enqueued to done), failed, … An unknown value does not meet it.\n\n" +
			"The exit status is 3 where the objective is never met or the target cannot be reached, and 2 where there is no answer.\n\n" +
			"  qbench capacity --strategy skip-locked --clients 64\n  qbench capacity -s skip-locked,for-update --slo 'queue_p99<20ms'",
		Flags:  flags,
		Action: a.capacity,
	}
}

// pick takes flags from a list by name.
func pick(list []cli.Flag, names ...string) []cli.Flag {
	var out []cli.Flag
	for _, f := range list {
		if slices.Contains(names, f.Names()[0]) {
			out = append(out, f)
		}
	}
	return out
}

func capacityFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "clients", Aliases: []string{"client", "c"}, Category: categorySweep, Usage: "`LIST|MAX`: numbers of clients, with commas between; a single one is the most: 1, 2, 4 … MAX, and finer around the best", DefaultText: "all that the server has connections for"},
		&cli.StringFlag{Name: "time", Aliases: []string{"T"}, Category: categorySweep, Value: defaultCapacityTime, Usage: "`TIME`: seconds, or a time such as 10s: of one measurement; repeats go on until the precision is reached"},
		&cli.StringFlag{Name: "warmup", Category: categorySweep, Usage: "`TIME`: run before each measurement, not counted", DefaultText: "a tenth of -T"},
		&cli.StringFlag{Name: "precision", Category: categorySweep, Value: defaultPrecision, Usage: "`PERCENT`: half the width of each number's 95% interval"},
		&cli.StringFlag{Name: "max-repeats", Category: categorySweep, Value: defaultRepeats, Usage: "`N`: measurements of one number of clients, whatever the precision"},
		&cli.StringFlag{Name: "orders", Category: categorySweep, Value: defaultPointOrders, Usage: "`N`: the most that the queue is seeded with for a measurement; how many it takes follows from the measured rate"},
		&cli.StringFlag{Name: "slo", Category: categorySLO, Usage: "`CONDITIONS`: search the highest arrival rate that meets this objective, such as queue_p99<20ms"},
		&cli.StringFlag{Name: "workers", Category: categorySLO, Value: "auto", Usage: "`N|auto`: clients that take orders; auto is as many as the sweep recommends, and then the fewest that hold the rate"},
		&cli.StringFlag{Name: "max-clients", Category: categorySLO, Usage: "`N`: never run more clients", DefaultText: "the server's limit"},
		&cli.StringFlag{Name: "producers", Category: categorySLO, Value: defaultProducers, Usage: "`N`: clients that put orders in, by a schedule that does not wait for the workers"},
		&cli.StringFlag{Name: "max-rate", Category: categorySLO, Usage: "`N`: offer no more orders per second", DefaultText: "all that the producers can"},
		&cli.StringFlag{Name: "headroom", Category: categorySLO, Value: defaultHeadroom, Usage: "`PERCENT`: what to stay below the rate found when planning"},
		&cli.StringFlag{Name: "target-rate", Category: categorySLO, Usage: "`N`: ask the reverse: how many workers meet the objective at N orders per second"},
		&cli.StringFlag{Name: "confirm", Category: categorySLO, Usage: "`TIME`: seconds, or a time: length of each confirmation run; three must pass; 0 disables them", DefaultText: "twice the server's autovacuum_naptime, at least 60"},
		&cli.StringFlag{Name: "backlog", Category: categorySLO, Value: "1", Usage: "`TIME`: seconds, or a time: of orders that wait when a long measurement begins, as after a pause of the server; 0 is none"},
		&cli.StringFlag{Name: "soak", Category: categorySLO, Usage: "`TIME`: seconds, or a time such as 1h: then run that long at the rate to plan with, and report what drifts"},
		&cli.StringFlag{Name: "format", Category: categoryReport, Value: "text", Usage: "`NAME`: " + strings.Join(report.OfCapacity.Formats(), ", ")},
	}
}
