package cli

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
	"pgregory.net/rapid"

	"qbench/internal/bench"
	"qbench/internal/getopt"
	"qbench/internal/shell"
)

// What is quoted as titleOf does is the same word again.
func TestTitlesAreReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-z'"\\ \t=é$]{0,20}`).Draw(t, "value")
		words, err := shell.Split(titleOf([]getopt.Given{{Name: "setup", Value: value}, {Name: "unlogged", Switch: true}}))
		if err != nil || !slices.Equal(words, []string{"--setup=" + value, "--unlogged"}) {
			t.Fatalf("%q became %q, %v", value, words, err)
		}
	})
}

// readBoth reads the command line of qbench ab.
func readBoth(t *testing.T, args ...string) ([2]*side, error) {
	t.Helper()
	a := &app{args: args}
	var sides [2]*side
	cmd := a.abCommand()
	parsed, err := parseArguments(cmd, args)
	if err != nil {
		return sides, err
	}
	cmd.Action = func(c *cli.Context) (err error) {
		sides, err = a.readSides(&values{c: c})
		return err
	}
	err = a.library(cmd).RunContext(context.Background(), commandLine("ab", parsed))
	return sides, err
}

func TestSides(t *testing.T) {
	t.Parallel()
	type want struct {
		strategy string
		clients  int
		duration time.Duration
		count    int64
		settings string
	}
	of := func(s *side) want {
		return want{s.spec.Mix.Name, s.spec.Clients, s.spec.Load.Duration, s.spec.Load.Transactions, strings.Join(s.options.disposable.Settings, ",")}
	}
	for _, c := range []struct {
		args   []string
		a, b   want
		shared bool
	}{
		{[]string{"-s", "skip-locked", "--b", ""},
			want{"skip-locked", 1, 5 * time.Second, 0, ""}, want{"skip-locked", 1, 5 * time.Second, 0, ""}, true},
		{[]string{"-c", "16", "--a", "-s for-update", "--b", "-s skip-locked -c8"},
			want{"for-update", 16, 5 * time.Second, 0, ""}, want{"skip-locked", 8, 5 * time.Second, 0, ""}, true},
		{[]string{"-s", "skip-locked", "-T2", "--b=-t 5", "--pg-setting", "jit=off"},
			want{"skip-locked", 1, 2 * time.Second, 0, "jit=off"}, want{"skip-locked", 1, 0, 5, "jit=off"}, true},
		{[]string{"-s", "skip-locked", "--b=--pg-setting fsync=off --pg-setting 'work_mem=1MB'", "--pg-setting", "jit=off"},
			want{"skip-locked", 1, 5 * time.Second, 0, "jit=off"}, want{"skip-locked", 1, 5 * time.Second, 0, "jit=off,fsync=off,work_mem=1MB"}, false},
		{[]string{"-s", "skip-locked", "--dsn", "host=x", "--b", "--dsn 'host=y user=u'"},
			want{"skip-locked", 1, 5 * time.Second, 0, ""}, want{"skip-locked", 1, 5 * time.Second, 0, ""}, false},
		{[]string{"-s", "skip-locked", "--b", "-f for-update@1"},
			want{"skip-locked", 1, 5 * time.Second, 0, ""}, want{"for-update", 1, 5 * time.Second, 0, ""}, true},
	} {
		sides, err := readBoth(t, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if a, b := of(sides[0]), of(sides[1]); a != c.a || b != c.b {
			t.Errorf("%q:\na %+v\nb %+v", c.args, a, b)
		}
		if got := sameServer(sides[0], sides[1]); got != c.shared {
			t.Errorf("%q: one server: %v", c.args, got)
		}
		if w := sides[0].spec.Load.Warmup; w != time.Second {
			t.Errorf("%q: warm-up %v", c.args, w)
		}
	}
}

// No part of a password is printed or recorded, however it is quoted.
func TestSidesKeepPasswords(t *testing.T) {
	t.Parallel()
	for _, side := range []string{
		"--dsn postgres://u:s3cret@h/db", "--dsn=postgres://u:s3cret@h/db", "--dsn 'host=h password=s3cret'",
		"--dsn host=h password=s3cret", "--dsn 'host=h password=s3cret", "--dsn postgres://u:s3cret@h/db -s nothing-like-it",
	} {
		for _, args := range [][]string{{"ab", "--a", side, "-s", "skip-locked"}, {"ab", "--b=" + side, "-s", "skip-locked"}} {
			if line := strings.Join(recordedArgs(args), " "); strings.Contains(line, "s3cret") || !strings.Contains(line, "skip-locked") {
				t.Errorf("recorded: %s", line)
			}
			sides, err := readBoth(t, args[1:]...)
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%q: %v", args, err)
			}
			for _, s := range sides {
				if s != nil && strings.Contains(s.title, "s3cret") {
					t.Errorf("%q: %s", args, s.title)
				}
			}
		}
	}
}

func TestStrategiesOf(t *testing.T) {
	t.Parallel()
	var specs []bench.Spec
	for _, name := range []string{"b", "a", "b"} {
		specs = append(specs, bench.Spec{Mix: &bench.Mix{Name: name}})
	}
	if got := strategiesOf(specs); got != "b+a" {
		t.Error(got)
	}
}
