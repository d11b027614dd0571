package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"qbench/internal/nearest"

	"github.com/urfave/cli/v2"
)

// arguments is a command's part of the command line in canonical form.
type arguments struct {
	flags       []string // "--name=value" or "--name"
	positionals []string
	help        bool
}

// parseArguments reads arguments as getopt_long does: "-c256", "-c 256",
// "-rc256", "--client=256" and "--client 256" are all understood, anywhere on
// the line; "--" ends the flags. "-c=256" is accepted as well, as Go programs
// have it.
func parseArguments(cmd *cli.Command, args []string) (arguments, error) {
	p := argumentParser{cmd: cmd, args: args}
	for len(p.args) > 0 && !p.out.help {
		arg := p.args[0]
		p.args = p.args[1:]
		var err error
		switch {
		case arg == "--":
			p.out.positionals = append(p.out.positionals, p.args...)
			p.args = nil
		case strings.HasPrefix(arg, "--"):
			err = p.long(arg)
		case len(arg) > 1 && arg[0] == '-':
			err = p.short(arg)
		default:
			p.out.positionals = append(p.out.positionals, arg)
		}
		if err != nil {
			return p.out, &usageError{err, cmd.Name}
		}
	}
	return p.out, nil
}

type argumentParser struct {
	cmd  *cli.Command
	args []string // not yet read
	out  arguments
}

// long reads --name, --name=value or --name value.
func (p *argumentParser) long(arg string) error {
	name, value, hasValue := strings.Cut(arg[2:], "=")
	if name == "help" {
		p.out.help = true
		return nil
	}
	f := p.lookup(name)
	// Only a flag that has no longer name is a long one with a single letter.
	if f == nil || len(name) == 1 && f.Names()[0] != name {
		return p.unknown("--" + name)
	}
	if !takesValue(f) {
		if hasValue {
			return fmt.Errorf("--%s takes no value, but was given %q", name, value)
		}
		p.out.flags = append(p.out.flags, "--"+name)
		return nil
	}
	if !hasValue {
		if len(p.args) == 0 {
			return p.missing("--"+name, f)
		}
		value, p.args = p.args[0], p.args[1:]
	}
	p.out.flags = append(p.out.flags, "--"+name+"="+value)
	return nil
}

// short reads a cluster of letters, the last of which may take a value.
func (p *argumentParser) short(arg string) error {
	// "-clients 8" is one dash too few rather than the value "lients".
	if long := arg[1:]; len(long) > 1 && p.lookup(long) != nil {
		return fmt.Errorf("unknown flag %s: did you mean --%s?", arg, long)
	}
	for rest := arg[1:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		name := string(r)
		rest = rest[size:]
		if name == "h" || name == "?" {
			p.out.help = true
			return nil
		}
		f := p.lookup(name)
		if f == nil {
			return p.unknown("-" + name)
		}
		if !takesValue(f) {
			p.out.flags = append(p.out.flags, "--"+name)
			continue
		}
		value := strings.TrimPrefix(rest, "=")
		if rest == "" {
			if len(p.args) == 0 {
				return p.missing("-"+name, f)
			}
			value, p.args = p.args[0], p.args[1:]
		}
		p.out.flags = append(p.out.flags, "--"+name+"="+value)
		return nil
	}
	return nil
}

func (p *argumentParser) lookup(name string) cli.Flag {
	for _, f := range p.cmd.Flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

func (p *argumentParser) unknown(flag string) error {
	var names []string
	for _, f := range p.cmd.Flags {
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	suggestion := nearest.DidYouMean(flag, append(names, "--help"))
	if len(flag) == 2 {
		suggestion = "" // any letter is near any other
	}
	return fmt.Errorf("unknown flag %s%s", flag, suggestion)
}

func (p *argumentParser) missing(flag string, f cli.Flag) error {
	placeholder, _ := usageOf(f)
	return fmt.Errorf("%s needs a value: %s %s", flag, flag, placeholder)
}

// dashed is a flag's name as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
