// Command qbench load-tests queues kept in PostgreSQL tables.
package main

import (
	"context"
	"os"

	"qbench/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}
