// Package cli is qbench's command line: flags, wiring, and exit statuses. It is
// the only place that prints, reads the environment, looks at the terminal or
// decides how the process ends.
//
// Each command is a file that builds its *cli.Command; commands.go lists them.
// Arguments are put into one canonical form (argv.go) before urfave/cli sees
// them, because that library ignores flags behind a positional argument and
// does not know "-c256".
package cli
