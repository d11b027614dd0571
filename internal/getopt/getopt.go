// Package getopt reads a command line as getopt_long does, for commands whose flags
// are known as data. [Parse] is all of it.
package getopt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"qbench/internal/nearest"
)

// Flag is a flag that a command has.
type Flag struct {
	Names []string // without dashes; one of a single character is a letter
	Value string   // what its value is called in messages; "" for a flag without
}

// Given is a flag as it was given, under its first name.
type Given struct {
	Name, Value string
	Switch      bool // it takes no value
}

// String is "--name=value", or "--name" for a switch.
func (g Given) String() string {
	if g.Switch {
		return "--" + g.Name
	}
	return "--" + g.Name + "=" + g.Value
}

// Arguments is a command line that was read.
type Arguments struct {
	Flags       []Given
	Positionals []string
	Help        bool // -h, -? or --help stood there, and what follows was not read
}

// Parse reads a command line: "-c256", "-c 256", "-rc256", "--client=256" and
// "--client 256" are all understood, anywhere on the line; "--" ends the flags.
// "-c=256" is accepted as well, as Go programs have it.
func Parse(flags []Flag, args []string) (Arguments, error) {
	p := parser{flags: flags, args: args}
	for len(p.args) > 0 && !p.out.Help {
		arg := p.args[0]
		p.args = p.args[1:]
		var err error
		switch {
		case arg == "--":
			p.out.Positionals = append(p.out.Positionals, p.args...)
			p.args = nil
		case strings.HasPrefix(arg, "--"):
			err = p.long(arg)
		case len(arg) > 1 && arg[0] == '-':
			err = p.short(arg)
		default:
			p.out.Positionals = append(p.out.Positionals, arg)
		}
		if err != nil {
			return p.out, err
		}
	}
	return p.out, nil
}

type parser struct {
	flags []Flag
	args  []string // not yet read
	out   Arguments
}

// long reads --name, --name=value or --name value.
func (p *parser) long(arg string) error {
	name, value, hasValue := strings.Cut(arg[2:], "=")
	if name == "help" {
		p.out.Help = true
		return nil
	}
	f := p.lookup(name)
	// Only a flag that has no longer name is a long one with a single letter.
	if f == nil || len(name) == 1 && f.Names[0] != name {
		return p.unknown("--" + name)
	}
	if f.Value == "" {
		if hasValue {
			return fmt.Errorf("--%s takes no value, but was given %q", name, value)
		}
		p.out.Flags = append(p.out.Flags, Given{Name: f.Names[0], Switch: true})
		return nil
	}
	if !hasValue {
		if len(p.args) == 0 {
			return p.missing("--"+name, f)
		}
		value, p.args = p.args[0], p.args[1:]
	}
	p.out.Flags = append(p.out.Flags, Given{Name: f.Names[0], Value: value})
	return nil
}

// short reads a cluster of letters, the last of which may take a value.
func (p *parser) short(arg string) error {
	// "-clients 8" is one dash too few rather than the value "lients".
	if long := arg[1:]; len(long) > 1 && p.lookup(long) != nil {
		return fmt.Errorf("unknown flag %s: did you mean --%s?", arg, long)
	}
	for rest := arg[1:]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		name := string(r)
		rest = rest[size:]
		if name == "h" || name == "?" {
			p.out.Help = true
			return nil
		}
		f := p.lookup(name)
		if f == nil {
			return p.unknown("-" + name)
		}
		if f.Value == "" {
			p.out.Flags = append(p.out.Flags, Given{Name: f.Names[0], Switch: true})
			continue
		}
		value := strings.TrimPrefix(rest, "=")
		if rest == "" {
			if len(p.args) == 0 {
				return p.missing("-"+name, f)
			}
			value, p.args = p.args[0], p.args[1:]
		}
		p.out.Flags = append(p.out.Flags, Given{Name: f.Names[0], Value: value})
		return nil
	}
	return nil
}

func (p *parser) lookup(name string) *Flag {
	for i, f := range p.flags {
		if slices.Contains(f.Names, name) {
			return &p.flags[i]
		}
	}
	return nil
}

func (p *parser) unknown(flag string) error {
	var names []string
	for _, f := range p.flags {
		for _, n := range f.Names {
			names = append(names, Dashed(n))
		}
	}
	suggestion := nearest.DidYouMean(flag, append(names, "--help"))
	if len(flag) == 2 {
		suggestion = "" // any letter is near any other
	}
	return fmt.Errorf("unknown flag %s%s", flag, suggestion)
}

func (p *parser) missing(flag string, f *Flag) error {
	return fmt.Errorf("%s needs a value: %s %s", flag, flag, f.Value)
}

// Dashed is a flag's name as it is typed.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
