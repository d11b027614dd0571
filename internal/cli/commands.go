package cli

import (
	"github.com/urfave/cli/v2"

	"qbench/internal/cli/pgbench"
)

// commands lists the subcommands, in the order of the help.
func (a *app) commands() []*cli.Command {
	return []*cli.Command{
		a.runCommand(),
		a.capacityCommand(),
		a.reportCommand(),
		a.compareCommand(),
		a.abCommand(),
		a.strategiesCommand(),
		a.initCommand(),
		a.checkCommand(),
		a.cleanCommand(),
		a.versionCommand(),
	}
}

// rawCommands read their own command lines.
var rawCommands = []rawCommand{
	{"pgbench", "take pgbench's own command line, and print its report", pgbench.Main},
}
