package cli

import (
	"github.com/urfave/cli/v2"

	"qbench/internal/getopt"
)

// parseArguments reads a command's part of the command line.
func parseArguments(cmd *cli.Command, args []string) (getopt.Arguments, error) {
	var flags []getopt.Flag
	for _, f := range cmd.Flags {
		placeholder, _ := usageOf(f)
		flags = append(flags, getopt.Flag{Names: f.Names(), Value: placeholder})
	}
	out, err := getopt.Parse(flags, args)
	if err != nil {
		return out, &usageError{err, cmd.Name}
	}
	return out, nil
}

// commandLine puts arguments into the form that urfave/cli takes.
func commandLine(command string, a getopt.Arguments) []string {
	line := []string{"qbench", command}
	for _, f := range a.Flags {
		line = append(line, f.String())
	}
	return append(append(line, "--"), a.Positionals...)
}
