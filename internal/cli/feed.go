package cli

import (
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/schema"
)

const categoryFeed = "Producers (a run with producers does not end when the queue is empty)"

const (
	// defaultPoll is short beside what people notice and long beside what an
	// empty look costs: a hundred looks per second and client.
	defaultPoll = 10 * time.Millisecond
	// defaultNotifyPoll only catches what a notification has missed.
	defaultNotifyPoll = time.Second
)

func feedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "producers", Category: categoryFeed, Usage: "`N`: clients that put orders in while the others take them out; the queue is then seeded with none, unless --orders says otherwise"},
		&cli.StringFlag{Name: "enqueue-batch", Category: categoryFeed, Usage: "`N`: orders that a producer puts in per transaction", DefaultText: "1"},
		&cli.StringFlag{Name: "enqueue-rate", Category: categoryFeed, Usage: "`N`: orders per second of all producers, at random moments (a Poisson process)", DefaultText: "as many as possible"},
		&cli.StringFlag{Name: "poll-interval", Category: categoryFeed, Usage: "`TIME`: milliseconds, or a time: how long a client that found no order waits before it looks again", DefaultText: "10ms, with --notify 1s"},
		&cli.BoolFlag{Name: "notify", Category: categoryFeed, Usage: "let producers end that wait with a notification (LISTEN, NOTIFY)"},
	}
}

// readFeed reads the flags of feedFlags; nil is no producers.
func readFeed(v *values) *bench.Feed {
	if !v.given("producers") {
		for _, flag := range []string{"enqueue-batch", "enqueue-rate", "poll-interval", "notify"} {
			if v.given(flag) {
				v.fail("--%s is about producers, but there are none: give --producers, or leave it out", flag)
			}
		}
		return nil
	}
	f := &bench.Feed{Clients: int(v.integer("producers", "producers", 1, maxClients)), Batch: 1, Poll: defaultPoll, Notify: v.c.Bool("notify")}
	if v.given("enqueue-batch") {
		f.Batch = int(v.integer("enqueue-batch", "orders per transaction", 1, math.MaxInt32))
	}
	if v.given("enqueue-rate") {
		f.Rate = v.positive("enqueue-rate", "a rate")
	}
	if f.Notify {
		f.Poll = defaultNotifyPoll
	}
	if v.given("poll-interval") {
		if f.Poll = v.duration("poll-interval", time.Millisecond); f.Poll == 0 {
			v.fail("--poll-interval %q: use a time above 0", v.text("poll-interval"))
		}
	}
	return f
}

// variantFlags say what the tables of some workloads are like.
func variantFlags() []cli.Flag {
	return append(jobsFlags(),
		&cli.StringFlag{Name: "index", Category: categoryQueue, Usage: "`KIND`: index of the claim queue besides its primary key: full (on process_id), partial (of unclaimed messages only) or none", DefaultText: schema.IndexFull},
		&cli.StringFlag{Name: "claimed", Category: categoryQueue, Usage: "`N`: seeded messages of the claim queue, the oldest ones, that a lost worker has claimed", DefaultText: "0"},
		&cli.StringFlag{Name: "payload-bytes", Category: categoryQueue, Usage: "`N`: bytes that each order carries besides its number", DefaultText: "0"},
	)
}

// readVariant reads the flags of variantFlags.
func readVariant(v *values, o *schema.Options) {
	o.Index = v.text("index")
	readJobs(v, o)
	if v.given("claimed") {
		o.Claimed = v.integer("claimed", "claimed messages", 0, math.MaxInt32)
	}
	if v.given("payload-bytes") {
		o.PayloadBytes = int(v.integer("payload-bytes", "bytes", 0, schema.MaxPayloadBytes))
	}
}
