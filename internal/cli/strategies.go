package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/runner"
	"qbench/runner/script"
	"qbench/scenarios"
)

func (a *app) strategiesCommand() *cli.Command {
	return &cli.Command{
		Name: "strategies", ArgsUsage: "[NAME]",
		Usage:       "list the strategies, or show one: its script, and the pgbench line that runs it",
		Description: "NAME is a strategy's name, or a file such as ./mine.sql.",
		Action: func(c *cli.Context) error {
			switch args := c.Args().Slice(); len(args) {
			case 0:
				a.listStrategies()
				return nil
			case 1:
				return a.showStrategy(args[0])
			default:
				return &usageError{fmt.Errorf("unexpected argument %q: one strategy is shown at a time", args[1]), c.Command.Name}
			}
		},
	}
}

func (a *app) listStrategies() {
	list := scenarios.List()
	width := 0
	for _, s := range list {
		width = max(width, len(s.Name))
	}
	for _, s := range list {
		writeEntry(a.stdout, s.Name, width+2, fmt.Sprintf("%s (%s)", s.Summary, strings.Join(s.Layouts, ", ")))
	}
}

// showStrategy prints the script and, as comments so that the output still is
// a script, what it needs.
func (a *app) showStrategy(name string) error {
	s, err := scenarios.Load(name, script.NewSymbols())
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, strings.TrimRight(s.Source, "\n"))
	fmt.Fprintln(a.stdout)
	if len(s.Params) > 0 {
		fmt.Fprintln(a.stdout, "-- parameters (-D NAME=VALUE):")
		for _, p := range s.Params {
			wrapText(a.stdout, fmt.Sprintf("--   %-10s  ", p.Name), fmt.Sprintf("--%15s", ""), fmt.Sprintf("%s (default: %s)", p.Help, p.Default))
		}
	}
	if len(s.Functions) > 0 {
		fmt.Fprintf(a.stdout, "-- functions, made by \"qbench init\": %s\n", strings.Join(s.Functions, ", "))
	}
	line, err := pgbenchLine(s)
	if err != nil {
		fmt.Fprintf(a.stdout, "-- under pgbench: %v\n", err)
		return nil
	}
	fmt.Fprintf(a.stdout, "-- under pgbench, on tables of \"qbench init\" (from the repository's root):\n--   %s\n", line)
	return nil
}

// pgbenchLine is the line for an example's size, in the query mode that is
// qbench's default or, where pgbench cannot run the script in it, the simple one.
func pgbenchLine(s *scenarios.Scenario) (string, error) {
	i := scenarios.Invocation{
		Mode: string(runner.Prepared), Clients: 16, Threads: bench.Spec{Clients: 16}.Threads(), Duration: 30 * time.Second, Variables: s.Variables(16, 0, nil),
	}
	line, why := s.PgbenchLine(i)
	if why != "" {
		i.Mode = string(runner.Simple)
		if line, why = s.PgbenchLine(i); why != "" {
			return "", errors.New(why)
		}
	}
	return line, nil
}
