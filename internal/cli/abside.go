package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"qbench/internal/bench"
	"qbench/internal/conninfo"
	"qbench/internal/getopt"
	"qbench/internal/result"
	"qbench/internal/resultfile"
	"qbench/internal/shell"
)

// side is one of the two variants.
type side struct {
	name    string // a or b
	title   string // its flags, for people
	spec    bench.Spec
	options serverOptions
	server  *server
	file    *result.File
	folder  *resultfile.Folder // of -o; nil without
	unsaved bool               // the folder's file could not be written at some time, which was said
}

// sharedFlags are the flags of a run that may differ between the variants, and
// be the same for both. What is not here makes no sense in a comparison: a
// queue that is kept is another one for every run, and pairs are the repeats.
func sharedFlags() []cli.Flag {
	flags := slices.Concat(strategyFlags(), loadFlags(), feedFlags(), queueFlags("plain, or the strategy's own"), []cli.Flag{setupFlag()}, serverFlags())
	flags = slices.DeleteFunc(flags, func(f cli.Flag) bool {
		return slices.Contains([]string{"repeat", "keep-data", "keep-server"}, f.Names()[0])
	})
	for _, f := range flags {
		s, ok := f.(*cli.StringFlag)
		if !ok {
			continue
		}
		switch s.Name {
		case "time":
			s.DefaultText = defaultTrialTime + ", without -t"
		case "warmup":
			s.Value = defaultTrialWarmup
		case "orders":
			s.Value = defaultTrialOrders
		case "client", "protocol", "strategy":
			s.Usage = strings.NewReplacer("`LIST`: number", "`N`: number", "`LIST`: query", "`MODE`: query",
				"`LIST`: strategies by name, \"all\", or files", "`NAME`: a strategy, or a file").Replace(s.Usage)
		}
	}
	return flags
}

// exclusive lists flags of which a variant's own replaces the shared other one.
var exclusive = [][2]string{{"time", "transactions"}, {"strategy", "file"}}

// givenFlags are the shared flags on the command line.
func givenFlags(c *cli.Context, flags []cli.Flag) []getopt.Given {
	var out []getopt.Given
	for _, f := range flags {
		name := f.Names()[0]
		if !c.IsSet(name) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			out = append(out, getopt.Given{Name: name, Switch: true})
		case *cli.StringSliceFlag:
			for _, v := range c.StringSlice(name) {
				out = append(out, getopt.Given{Name: name, Value: v})
			}
		default:
			out = append(out, getopt.Given{Name: name, Value: c.String(name)})
		}
	}
	return out
}

// sideFlags reads the flags of --a or --b.
func sideFlags(text string) ([]getopt.Given, error) {
	words, err := shell.Split(text)
	if err != nil {
		return nil, err
	}
	cmd := &cli.Command{Name: "ab", Flags: sharedFlags()}
	parsed, err := parseArguments(cmd, words)
	var u *usageError
	if errors.As(err, &u) {
		return nil, u.err
	}
	switch {
	case err != nil:
		return nil, err
	case parsed.Help:
		return nil, errors.New("--help belongs outside of it")
	case len(parsed.Positionals) > 0:
		// The word is not shown: it may be the rest of a connection string.
		return nil, errors.New("it holds a word that is no flag; a value with blanks needs quotes within the quotes")
	}
	return parsed.Flags, nil
}

// combine puts a variant's own flags over the shared ones.
func combine(shared, own []getopt.Given) []getopt.Given {
	given := func(name string) bool {
		return slices.ContainsFunc(own, func(f getopt.Given) bool { return f.Name == name })
	}
	out := slices.DeleteFunc(slices.Clone(shared), func(f getopt.Given) bool {
		return slices.ContainsFunc(exclusive, func(pair [2]string) bool {
			return f.Name == pair[0] && given(pair[1]) || f.Name == pair[1] && given(pair[0])
		})
	})
	return append(out, own...)
}

// readSide reads what a variant is; its flags are a run's with one
// configuration.
func (a *app) readSide(ctx context.Context, name string, flags []getopt.Given) (*side, error) {
	s := &side{name: name}
	all := append(sharedFlags(), pick(loadFlags(), "repeat")...)
	cmd := &cli.Command{Name: "ab", Flags: all, Action: func(c *cli.Context) error {
		v := &values{c: c}
		specs := readSpecs(v)
		s.options = readServer(v)
		if len(specs) > 1 {
			v.fail("it is %d configurations, and one is compared with one: give one strategy, one number of clients and one query mode", len(specs))
		}
		if v.err == nil {
			s.spec = specs[0]
		}
		return v.mistake()
	}}
	line := []string{"qbench", "ab"}
	if !slices.ContainsFunc(flags, func(f getopt.Given) bool { return f.Name == "time" || f.Name == "transactions" }) {
		line = append(line, "--time="+defaultTrialTime)
	}
	for _, f := range flags {
		line = append(line, f.String())
	}
	err := a.library(cmd).RunContext(ctx, line)
	var u *usageError
	if errors.As(err, &u) {
		return nil, &usageError{fmt.Errorf("variant %s: %w", name, u.err), u.command}
	}
	if err != nil {
		return nil, fmt.Errorf("variant %s: %w", name, err)
	}
	return s, nil
}

// sameServer tells whether both variants run on one server.
func sameServer(a, b *side) bool { return reflect.DeepEqual(a.options, b.options) }

// titleOf is a variant's own flags as they would be typed, without passwords.
func titleOf(flags []getopt.Given) string {
	var words []string
	for _, f := range flags {
		f.Value = conninfo.Redact(f.Value)
		words = append(words, f.String())
	}
	if len(words) == 0 {
		return "the shared flags alone"
	}
	return shell.Join(words...)
}

// planned is a run of the side as far as it says what decides about it.
func (s *side) planned() *result.Run {
	r := &result.Run{CountsOrders: s.spec.Mix.CountsOrders()}
	r.Rate = s.spec.Rate
	if s.spec.Feed != nil {
		r.Enqueue.Producers = s.spec.Feed.Clients
	}
	return r
}
