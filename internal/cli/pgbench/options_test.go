package pgbench

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"qbench/runner"
)

// read parses a command line that has to be right.
func read(t *testing.T, args ...string) *options {
	t.Helper()
	o, err := parse(args, &console{out: io.Discard, err: io.Discard}, strings.NewReader("SELECT 1;"))
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return o
}

func TestOptionsAreUnderstoodAsGetoptDoes(t *testing.T) {
	t.Parallel()
	for line, holds := range map[string]func(o *options) bool{
		"": func(o *options) bool {
			return o.clients == 1 && o.threads == 1 && o.transactions == 10 && o.duration == 0 && o.mode == runner.Simple && o.maxTries == 1 &&
				len(o.scripts) == 1 && o.scripts[0].Name == "<builtin: TPC-B (sort of)>" && o.builtinUsed
		},
		"-c10 -j4 -T3": func(o *options) bool {
			return o.clients == 10 && o.threads == 4 && o.duration == 3 && o.transactions == 0
		},
		"-c 2 db -t 3":        func(o *options) bool { return o.clients == 2 && o.database == "db" && o.transactions == 3 },
		"-nrlCv":              func(o *options) bool { return o.noVacuum && o.perStatement && o.log && o.connect && o.vacuumAll },
		"-nc5":                func(o *options) bool { return o.noVacuum && o.clients == 5 },
		"--client=5 --jobs 9": func(o *options) bool { return o.clients == 5 && o.threads == 5 },
		"--trans 7 --prog=2":  nil, // --prog is the start of two options
		"--trans 7 --report":  func(o *options) bool { return o.transactions == 7 && o.perStatement },
		"-Dx=y -D a=1,2 --define z==": func(o *options) bool {
			return maps.Equal(o.variables, map[string]string{"x": "y", "a": "1,2", "z": "="})
		},
		"-R 1e3tps -L 2.5ms":             func(o *options) bool { return o.rate == 1000 && o.latencyLimit == 2500*time.Microsecond },
		"-M pipelined":                   func(o *options) bool { return o.mode == runner.Pipelined },
		"-S -N -b tpcb@3":                func(o *options) bool { return len(o.scripts) == 3 && o.scripts[2].Weight == 3 },
		"-f -@0 -f -@7":                  nil, // the second script is empty: standard input was read
		"-f -@7":                         func(o *options) bool { return o.scripts[0].Name == "-" && o.scripts[0].Weight == 7 && !o.builtinUsed },
		"-l --aggregate-interval 2 -T 4": func(o *options) bool { return o.aggregateInterval == 2 },
		"-l --sampling-rate .5":          func(o *options) bool { return o.samplingRate == 0.5 },
		"-P 5 --progress-timestamp":      func(o *options) bool { return o.progress == 5 && o.progressTimestamp },
		"--max-tries 0 -T 1":             func(o *options) bool { return o.maxTries == 0 },
		"--random-seed 18446744073709551615": func(o *options) bool {
			return o.seed == math.MaxUint64
		},
		"-d postgres://h/d":   func(o *options) bool { return o.database == "postgres://h/d" },
		"-h h -p 1 -U u -- x": func(o *options) bool { return o.host == "h" && o.port == "1" && o.user == "u" && o.database == "x" },
		"--compat 15":         func(o *options) bool { return o.compat == 15 },
		"--debug --verbose-errors --failures-detailed --exit-on-abort --continue-on-error": func(o *options) bool {
			return o.debug && o.verboseErrors && o.failuresDetailed && o.exitOnAbort && o.continueOnError
		},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			o, err := parse(strings.Fields(line), &console{out: io.Discard, err: io.Discard}, strings.NewReader("SELECT 1;"))
			switch {
			case holds == nil && err == nil:
				t.Error("accepted")
			case holds != nil && err != nil:
				t.Error(err)
			case holds != nil && !holds(o):
				t.Errorf("read as %+v", o)
			}
		})
	}
}

func TestEveryOptionIsInTheHelp(t *testing.T) {
	t.Parallel()
	got := ours(t.Context(), "--help")
	if got.Status != 0 || got.Stderr != "" {
		t.Fatalf("%+v", got)
	}
	for _, f := range flagSpecs {
		if !strings.Contains(got.Stdout, "--"+f.long) {
			t.Errorf("--%s is missing", f.long)
		}
	}
	for line := range strings.Lines(got.Stdout) {
		if len(line) > 140 {
			t.Errorf("too long: %s", line)
		}
	}
}

func TestInitializationIsLeftToPgbench(t *testing.T) {
	t.Parallel()
	got := ours(t.Context(), "-i", "-s", "10", "--fillfactor=90", "my db")
	want := outcome{Status: 1, Stderr: "pgbench: error: initialization (-i) is left to pgbench itself\n" +
		"pgbench: hint: Run: pgbench -i -s 10 --fillfactor=90 'my db'\n"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, secret := range []string{"postgres://u:s3cret@h/d", "host=h password=s3cret"} {
		if got := ours(t.Context(), "-i", secret); strings.Contains(got.Stderr, "s3cret") {
			t.Errorf("the password is shown: %s", got.Stderr)
		}
	}
}

func TestWeightIsSplitAtTheLastAt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[a-z@./]{0,9}`).Draw(t, "path")
		weight := rapid.IntRange(0, math.MaxInt32).Draw(t, "weight")
		gotPath, gotWeight, err := splitWeight(path + "@" + strconv.Itoa(weight))
		if err != nil || gotPath != path || gotWeight != weight {
			t.Fatalf("got %q, %d, %v", gotPath, gotWeight, err)
		}
	})
	if path, weight, err := splitWeight("plain"); path != "plain" || weight != 1 || err != nil {
		t.Errorf("got %q, %d, %v", path, weight, err)
	}
}

func TestBuiltinsAreFoundByTheirUniquePrefixes(t *testing.T) {
	t.Parallel()
	for _, b := range builtins {
		for n := range len(b.name) + 1 {
			prefix := b.name[:n]
			sharing := slices.DeleteFunc(slices.Clone(builtins), func(o builtin) bool { return !strings.HasPrefix(o.name, prefix) })
			got, err := findBuiltin(prefix)
			if unique := len(sharing) == 1; unique != (err == nil) || unique && got != b {
				t.Errorf("%q finds %v, %v", prefix, got, err)
			}
		}
	}
}

func TestLeadingNumbersAreReadAsC(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"": 0, "x": 0, "1": 1, " 12.5ms": 12.5, "1e3x": 1000, "1e": 1, "-.5": -0.5, "+3.": 3, ".": 0, "1.2.3": 1.2, "1e999": math.Inf(1),
	} {
		if got := leadingFloat(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int{"": 0, "7x": 7, " -3": -3, "1e3": 1, "99999999999": math.MaxInt32} {
		if got := leadingInt(text); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestSeedsDifferWithoutOne(t *testing.T) {
	t.Parallel()
	a, err := parseSeed("rand")
	if err != nil {
		t.Fatal(err)
	}
	b, err := parseSeed("rand")
	if err != nil || a == b {
		t.Errorf("two random seeds are both %d (%v)", a, err)
	}
}

// FuzzCommandLine: whatever is given, parsing ends in options or in an error
// with a message, and says nothing on standard output unless it was asked to.
func FuzzCommandLine(f *testing.F) {
	f.Add("-c10\x00-Dx=y\x00db")
	f.Add("--transactions=5\x00-S\x00--max-tries\x000\x00-L\x001")
	f.Add("-i\x00--partitions=2\x00--partition-method\x00hash")
	f.Add("-b\x00se@2\x00--\x00-x")
	f.Add("-?\x00--version")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.ContainsAny(a, "f") }) {
			return // files are read
		}
		var out, stderr bytes.Buffer
		o, err := parse(args, &console{out: &out, err: &stderr}, strings.NewReader(""))
		var e *exit
		switch {
		case err == nil && (o == nil || len(o.scripts) == 0 || o.clients < 1 || o.threads > o.clients || (o.transactions > 0) == (o.duration > 0)):
			t.Fatalf("%q gives %+v", args, o)
		case err != nil && !errors.As(err, &e):
			t.Fatalf("%q fails with %T %v", args, err, err)
		case err != nil && e.status != 0 && len(e.lines) == 0:
			t.Fatalf("%q fails without a word", args)
		}
	})
}
