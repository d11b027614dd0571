package pgbench

import (
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"qbench/runner"
	"qbench/runner/script"
)

// flagSpec is one option. Options act in the order of the command line, as
// with getopt: a script is read and a value refused when its turn comes.
type flagSpec struct {
	long, short string
	arg         string // what the value is called; "" for none
	help        string
	phase       phase
	set         func(o *options, value string) error
}

// phase is the mode an option belongs to.
type phase uint8

const (
	anyPhase phase = iota
	benchmarking
	initializing
)

// seedVar is the environment variable behind --random-seed.
const seedVar = "PGBENCH_RANDOM_SEED"

// parse reads a command line (without the program's name). A finished error
// means that all that was asked for has been printed.
func parse(args []string, c *console, stdin io.Reader) (*options, error) {
	o := newOptions(c, stdin)
	o.args = args
	if err := o.setSeed(os.Getenv(seedVar), "PGBENCH_RANDOM_SEED environment variable"); err != nil {
		return nil, err
	}
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SetNormalizeFunc(completeName)
	for i := range flagSpecs {
		v := &value{o: o, spec: &flagSpecs[i]}
		f := set.VarPF(v, v.spec.long, v.spec.short, v.spec.help)
		if v.spec.arg == "" {
			f.NoOptDefVal = present
		}
	}
	if err := set.Parse(args); err != nil {
		return nil, flagError(err)
	}
	if err := o.complete(set.Args()); err != nil {
		return nil, err
	}
	return o, nil
}

// value connects a flagSpec to pflag.
type value struct {
	o    *options
	spec *flagSpec
}

// present is what an option without a value is set to. A NUL cannot come from
// a command line, so "--log=x" shows.
const present = "\x00"

// errNoValue is given to an option that takes none.
var errNoValue = errors.New("option takes no value")

func (v *value) String() string { return "" }
func (v *value) Type() string   { return v.spec.arg }
func (v *value) Set(text string) error {
	if v.spec.arg == "" && text != present {
		return errNoValue
	}
	switch v.spec.phase {
	case benchmarking:
		v.o.benchmarkingSet = true
	case initializing:
		v.o.initializingSet = true
	}
	return v.spec.set(v.o, text)
}

// completeName lets long options be shortened to any prefix that no other one
// shares, as getopt_long does.
func completeName(_ *pflag.FlagSet, given string) pflag.NormalizedName {
	full := given
	for i := range flagSpecs {
		long := flagSpecs[i].long
		switch {
		case long == given:
			return pflag.NormalizedName(given)
		case !strings.HasPrefix(long, given):
		case full != given:
			return pflag.NormalizedName(given) // ambiguous
		default:
			full = long
		}
	}
	return pflag.NormalizedName(full)
}

// flagError turns pflag's errors into getopt's words.
func flagError(err error) error {
	var own *exit
	if errors.As(err, &own) {
		return own
	}
	e := &exit{status: statusUsage}
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		e.and(levelInfo, "option requires an argument -- '%s'", missing.GetFlag().Shorthand)
	case errors.As(err, &missing):
		e.and(levelInfo, "option '--%s' requires an argument", missing.GetFlag().Name)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		e.and(levelInfo, "invalid option -- '%s'", unknown.GetSpecifiedShortnames()[:1])
	case errors.As(err, &unknown):
		given := unknown.GetSpecifiedName()
		if possible := longWithPrefix(given); len(possible) > 0 {
			e.and(levelInfo, "option '--%s' is ambiguous; possibilities: '--%s'", given, strings.Join(possible, "' '--"))
		} else {
			e.and(levelInfo, "unrecognized option '--%s'", given)
		}
	case errors.As(err, &invalid) && errors.Is(err, errNoValue):
		e.and(levelInfo, "option '--%s' doesn't allow an argument", invalid.GetFlag().Name)
	default:
		e.and(levelInfo, "%s", err)
	}
	return e.tryHelp()
}

func longWithPrefix(prefix string) []string {
	var names []string
	for _, s := range flagSpecs {
		if strings.HasPrefix(s.long, prefix) {
			names = append(names, s.long)
		}
	}
	return names
}

func (o *options) setSeed(text, source string) error {
	seed, err := parseSeed(text)
	if err != nil {
		return err.(*exit).and(levelError, "error while setting random seed from %s", source)
	}
	if text != "" {
		o.console.message(levelInfo, "setting random seed to "+formatUint(seed))
	}
	o.seed = seed
	return nil
}

func (o *options) define(text string) error {
	key, val, _ := strings.Cut(text, "=")
	if key == "" || val == "" {
		return fatalf(`invalid variable definition: "%s"`, text)
	}
	if !script.ValidName(key) {
		return fatalf(`option: invalid variable name: "%s"`, key)
	}
	o.variables[key] = val
	return nil
}

func (o *options) setMode(text string) error {
	if !slices.Contains(runner.Modes, runner.Mode(text)) {
		return fatalf(`invalid query mode (-M): "%s"`, text)
	}
	o.mode = runner.Mode(text)
	return nil
}

func (o *options) setLatencyLimit(text string) error {
	ms := leadingFloat(text)
	if ms <= 0 {
		return fatalf(`invalid latency limit: "%s"`, text)
	}
	// Whole microseconds, as in pgbench.
	o.latencyLimit = time.Duration(min(ms*1000, math.MaxInt64/1e4)) * time.Microsecond
	return nil
}

func (o *options) setRate(text string) error {
	if o.rate = leadingFloat(text); o.rate <= 0 {
		return fatalf(`invalid rate limit: "%s"`, text)
	}
	return nil
}

func (o *options) setSamplingRate(text string) error {
	if o.samplingRate = leadingFloat(text); o.samplingRate <= 0 || o.samplingRate > 1 {
		return fatalf(`invalid sampling rate: "%s"`, text)
	}
	return nil
}

func (o *options) setMaxTries(text string) error {
	if o.maxTries = leadingInt(text); o.maxTries < 0 {
		return fatalf(`invalid number of maximum tries: "%s"`, text)
	}
	return nil
}

func (o *options) setBuiltin(text string) error {
	if text == "list" {
		o.console.printError(listBuiltins())
		return finished
	}
	prefix, weight, err := splitWeight(text)
	if err != nil {
		return err
	}
	return o.addBuiltin(prefix, weight)
}

func (o *options) setFile(text string) error {
	path, weight, err := splitWeight(text)
	if err != nil {
		return err
	}
	return o.addFile(path, weight)
}

func (o *options) showScript(text string) error {
	b, err := findBuiltin(text)
	if err != nil {
		return err
	}
	o.console.printError("-- " + b.name + ": " + b.description + "\n" + b.source() + "\n")
	return finished
}

func (o *options) setInitSteps(text string) error {
	const allowed = "dtgGvpf"
	if text == "" {
		return fatalf("no initialization steps specified")
	}
	for _, r := range text {
		if !strings.ContainsRune(allowed+" ", r) {
			return fatalf(`unrecognized initialization step "%c"`, r).and(levelDetail, `Allowed step characters are: "%s".`, allowed)
		}
	}
	return nil
}

func (o *options) setPartitionMethod(text string) error {
	if !strings.EqualFold(text, "range") && !strings.EqualFold(text, "hash") {
		return fatalf(`invalid partition method, expecting "range" or "hash", got: "%s"`, text)
	}
	o.partitionMethod = strings.ToLower(text)
	return nil
}
