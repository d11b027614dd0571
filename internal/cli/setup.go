package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
)

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
