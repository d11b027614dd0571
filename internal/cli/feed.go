package cli

import (
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
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
	f := readProducers(v)
	if v.given("enqueue-rate") {
		f.Rate = v.positive("enqueue-rate", "a rate")
	}
	return f
}

// readProducers reads what producers do, but for their rate, and how their
// consumers wait.
func readProducers(v *values) *bench.Feed {
	f := &bench.Feed{Clients: int(v.integer("producers", "producers", 1, maxClients)), Batch: 1, Poll: defaultPoll, Notify: v.c.Bool("notify")}
	if v.given("enqueue-batch") {
		f.Batch = int(v.integer("enqueue-batch", "orders per transaction", 1, math.MaxInt32))
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
