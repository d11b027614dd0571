package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"qbench/internal/conninfo"
	"qbench/internal/nearest"
	"qbench/internal/printable"
	"qbench/internal/resultfile"
	"qbench/scenarios"
)

// app is what the commands share: the process's streams and command line. What
// is written to stdout and stderr is made printable; reports and the console
// take the streams themselves (printable.Unwrap), since they know which escape
// sequences are their own.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string // the whole command line, for the record
	secrets        conninfo.Secrets
}

// rawCommand is a subcommand with a command line of its own, which it gets
// untouched.
type rawCommand struct {
	name, usage string
	main        func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

// Main runs qbench with a command line (args[0] is the program's name) and
// returns the exit status. It is all that a process does, so that tests can
// call it; when ctx ends, everything stops at once.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &printable.Writer{Raw: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: &printable.Writer{Raw: stderr}, args: args, secrets: conninfo.Find(args)}
	var rest []string
	if len(args) > 1 {
		rest = args[1:]
	}
	for _, raw := range rawCommands {
		if len(rest) > 0 && rest[0] == raw.name {
			ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
			defer restore()
			// A second signal ends the process, as the first one ends pgbench.
			defer context.AfterFunc(ctx, restore)()
			return raw.main(ctx, rest[1:], stdin, stdout, stderr)
		}
	}
	err := a.dispatch(ctx, rest)
	if out.Err != nil {
		lost := fmt.Errorf("write to standard output: %w", resultfile.Reason(out.Err))
		err = withStatus(orLost(statusOf(err), lost), errors.Join(err, lost))
	}
	a.printError(err)
	return int(statusOf(err))
}

// printError writes an error, and where to read more about a mistake in usage. An error may repeat an argument, and
// a connection string can stand anywhere by mistake.
func (a *app) printError(err error) {
	if err == nil || err.Error() == "" {
		return
	}
	fmt.Fprintf(a.stderr, "qbench: error: %s\n", a.secrets.Mask(err.Error()))
	var u *usageError
	if errors.As(err, &u) {
		command := "qbench"
		if u.command != "" {
			command += " " + u.command
		}
		fmt.Fprintf(a.stderr, "qbench: hint: Try \"%s --help\" for more information.\n", command)
	}
}

// dispatch finds the command, puts its arguments into canonical form, and runs
// it.
func (a *app) dispatch(ctx context.Context, args []string) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch name {
	case "":
		a.printHelp(a.stderr)
		return withStatus(StatusUsage, nil)
	case "-h", "-?", "--help":
		a.printHelp(a.stdout)
		return nil
	case "-V", "--version":
		name = "version"
	case "help":
		if len(args) == 1 {
			a.printHelp(a.stdout)
			return nil
		}
		return a.dispatch(ctx, []string{args[1], "--help"})
	}
	cmd := a.find(name)
	if cmd == nil {
		return a.unknownCommand(name)
	}
	parsed, err := parseArguments(cmd, args[1:])
	if err != nil {
		return err
	}
	if parsed.Help {
		printCommandHelp(a.stdout, cmd)
		return nil
	}
	if cmd.ArgsUsage == "" && len(parsed.Positionals) > 0 {
		return strayArgument(cmd, parsed.Positionals[0])
	}
	return a.library(cmd).RunContext(ctx, commandLine(cmd.Name, parsed))
}

func (a *app) find(name string) *cli.Command {
	for _, c := range a.commands() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// library sets urfave/cli up so that it neither prints nor exits nor takes
// values apart.
func (a *app) library(cmd *cli.Command) *cli.App {
	cmd.HideHelp = true
	cmd.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
		return &usageError{err, cmd.Name}
	}
	return &cli.App{
		Name: "qbench", HideHelp: true, HideVersion: true,
		Writer: a.stderr, ErrWriter: a.stderr,
		Commands:                  []*cli.Command{cmd},
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return &usageError{err, cmd.Name}
		},
	}
}

func (a *app) unknownCommand(name string) error {
	if strings.HasPrefix(name, "-") {
		return &usageError{fmt.Errorf("%s stands where a command is expected: qbench run %s", name, name), ""}
	}
	var names []string
	for _, c := range a.commands() {
		names = append(names, c.Name)
	}
	for _, c := range rawCommands {
		names = append(names, c.name)
	}
	return &usageError{fmt.Errorf("unknown command %q%s", name, nearest.DidYouMean(name, names)), ""}
}

// strayArgument explains an argument that no flag took.
func strayArgument(cmd *cli.Command, arg string) error {
	advice := "qbench " + cmd.Name + " takes flags only"
	for _, name := range scenarios.Names() {
		if name == arg {
			advice = "a strategy is given as --strategy " + arg
		}
	}
	return &usageError{fmt.Errorf("unexpected argument %q: %s", arg, advice), cmd.Name}
}
