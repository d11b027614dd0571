package cli

import (
	"github.com/urfave/cli/v2"
)

// openLoopFlags let the load follow the schedule alone.
func openLoopFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "open-loop", Category: categoryLoad, Usage: "under -R: put a further client to work whenever all others are busy, up to --max-clients, so that a slow server does not slow the starts down; starts that no client was free for are counted as dropped, and with -L those that came too late as skipped"},
		&cli.StringFlag{Name: "max-clients", Category: categoryLoad, Usage: "`N`: clients of --open-loop; all are connected beforehand"},
	}
}

// readOpenLoop returns the number of clients of --open-loop, 0 without it. The
// runner's schedule belongs to no client: whoever is free takes the next start.
// So all clients that may be needed are there from the beginning and idle, and
// none has to be connected at the worst moment.
func readOpenLoop(v *values) int {
	if !v.c.Bool("open-loop") {
		if v.given("max-clients") {
			v.fail("--max-clients is for --open-loop: give that too, or the number of clients with -c")
		}
		return 0
	}
	for flag, why := range map[string]string{
		"rate":        "--open-loop needs a schedule to follow: give one with -R",
		"max-clients": "--open-loop needs a limit: give the most clients with --max-clients",
	} {
		if !v.given(flag) {
			v.fail("%s", why)
		}
	}
	if v.given("client") {
		v.fail("under --open-loop the number of clients follows from the load: leave out -c, or leave out --open-loop")
	}
	if v.given("transactions") {
		v.fail("under --open-loop no client has a number of transactions of its own: give -T instead of -t")
	}
	if v.err != nil {
		return 0
	}
	return int(v.integer("max-clients", "clients", 1, maxClients))
}
