package pgbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qbench/internal/pgserver/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// reference is the real pgbench, which these tests compare with.
type reference struct {
	path  string
	major int
}

var versionNumber = regexp.MustCompile(`pgbench \(PostgreSQL\) (\d+)`)

// findReference asks the real pgbench for its version: one older than 15 draws
// other random numbers.
func findReference(t *testing.T) reference {
	t.Helper()
	path := pgtest.Pgbench(t)
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	m := versionNumber.FindStringSubmatch(string(out))
	if m == nil {
		t.Fatalf("%s --version says %q", path, out)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	if major < oldestCompat {
		t.Skipf("%s is of PostgreSQL %d; %d is the oldest to compare with", path, major, oldestCompat)
	}
	return reference{path, major}
}

// outcome is what a program left behind.
type outcome struct {
	Status         int
	Stdout, Stderr string
}

func (r reference) run(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func ours(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	status := Main(ctx, args, strings.NewReader(""), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// ours runs this package with the report's form of the reference.
func (r reference) ours(t *testing.T, args ...string) outcome {
	t.Helper()
	return ours(t.Context(), append([]string{"--compat", strconv.Itoa(min(r.major, latestCompat))}, args...)...)
}

func writeScript(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.sql")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExpressionsAsPgbench runs generated scripts under both programs: what
// debug() prints, the errors and the exit status have to be the same bytes.
func TestExpressionsAsPgbench(t *testing.T) {
	t.Parallel()
	ref := findReference(t)
	dsn := pgtest.DSN(t)
	modes := []string{"simple", "extended", "prepared"}
	const scripts = 300
	for seed := range uint64(scripts) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			risky := seed%3 == 0
			length := 60
			if risky {
				length = 6
			}
			text := newGenerator(seed, risky, seed%4 == 1).script(length)
			args := append([]string{
				"-n", "-t", "2", "-c", strconv.Itoa(1 + int(seed%2)), "-M", modes[seed%3], fmt.Sprintf("--random-seed=%d", seed*7919),
				"-f", writeScript(t, text), dsn,
			}, generatorDefines...)
			want, got := ref.run(t, args...), ref.ours(t, args...)
			if seed%2 == 1 {
				// Two clients take turns as they like.
				want.Stderr, got.Stderr = sortLines(want.Stderr), sortLines(got.Stderr)
			}
			if !risky && strings.Count(want.Stderr, "debug(") < 50 {
				t.Fatalf("the script shows nothing:\n%s\n%s", text, want.Stderr)
			}
			if diff := cmp.Diff(want.Stderr, got.Stderr); diff != "" || want.Status != got.Status {
				t.Errorf("status %d, pgbench has %d; stderr (-pgbench +qbench):\n%s\n%s", got.Status, want.Status, diff, text)
			}
		})
	}
}

func sortLines(s string) string {
	lines := strings.SplitAfter(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// flagSets are the options whose every combination is compared.
var flagSets = [][]string{{"-r"}, {"-P", "1"}, {"-R", "100000"}, {"-L", "10000"}, {"-C"}, {"--failures-detailed"}, {"--max-tries", "3"}}

// TestReportsAsPgbench compares reports line by line, measured values blanked
// out. With a seed even the choice of scripts is the same in both programs, for
// one client; pgbench's threads lose counts of a script when they meet.
func TestReportsAsPgbench(t *testing.T) {
	t.Parallel()
	ref := findReference(t)
	dsn := pgtest.DSN(t)
	one := writeScript(t, "\\set x random(1, 9)\nSELECT :x::int + 1;\n-- comment\nBEGIN; END;\n")
	two := writeScript(t, "\\if true\nSELECT 'a\nb';\n\\else\nSELECT 2;\n\\endif\n")
	for _, mode := range []string{"simple", "extended", "prepared"} {
		for _, several := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/several=%v", mode, several), func(t *testing.T) {
				t.Parallel()
				for set := range 1 << len(flagSets) {
					args := []string{"-n", "-t", "5", "-s", "5", "--random-seed", "42", "-M", mode, "-f", one}
					if several {
						args = append(args, "-f", two+"@2")
					} else {
						args = append(args, "-c", "2", "-j", "2")
					}
					for i, flags := range flagSets {
						if set>>i&1 == 1 {
							args = append(args, flags...)
						}
					}
					compareReports(t, ref, append(args, dsn)...)
				}
			})
		}
	}
}

func compareReports(t *testing.T, ref reference, args ...string) {
	t.Helper()
	want, got := ref.run(t, args...), ref.ours(t, args...)
	if diff := cmp.Diff(blank(want), blank(got)); diff != "" {
		t.Errorf("pgbench %s (-pgbench +qbench):\n%s", strings.Join(args[:len(args)-1], " "), diff)
	}
}

var (
	column  = regexp.MustCompile(`(?m)^ +[0-9]+\.[0-9]{3}`)
	decimal = regexp.MustCompile(`[0-9]+\.[0-9]+`)
	banner  = regexp.MustCompile(`(?m)^pgbench \(.*\n`)
	tick    = regexp.MustCompile(`(?m)^progress: .*\n`)
)

// blank replaces the banner and all numbers with a decimal point. In the
// columns of -r it keeps the width. Lines of progress go: how many seconds a
// run takes, and so how many there are, is the machine's affair.
func blank(o outcome) outcome {
	o.Stdout = banner.ReplaceAllString(o.Stdout, "")
	o.Stdout = column.ReplaceAllStringFunc(o.Stdout, func(s string) string { return strings.Repeat("N", len(s)) })
	o.Stdout = decimal.ReplaceAllString(o.Stdout, "N")
	o.Stderr = tick.ReplaceAllString(o.Stderr, "")
	o.Stderr = decimal.ReplaceAllString(o.Stderr, "N")
	return o
}

// raise is a script whose only statement fails with an SQLSTATE.
func raise(state string) string {
	return fmt.Sprintf("DO $$ BEGIN RAISE EXCEPTION 'on purpose' USING ERRCODE = '%s'; END $$;\n", state)
}

// TestErrorsAsPgbench compares what is said when something fails: output,
// report and exit status.
func TestErrorsAsPgbench(t *testing.T) {
	t.Parallel()
	ref := findReference(t)
	dsn := pgtest.DSN(t)
	for name, c := range map[string]struct {
		script string
		args   []string
	}{
		"sql error":             {script: "SELECT 1;\nSELECT 1/0;\n"},
		"sql error of one":      {script: "\\if :client_id = 1\nSELECT nosuch FROM pg_class;\n\\endif\n", args: []string{"-c", "2", "-j", "2"}},
		"syntax error":          {script: "SELECT 1 +\n  ;\n"},
		"error in block":        {script: "BEGIN;\nSELECT x;\nEND;\n"},
		"block left open":       {script: "BEGIN;\nSELECT 1;\n"},
		"unknown variable":      {script: "SELECT ':nosuch', :alsonot::text;\n"},
		"failed and given up":   {script: raise("40001"), args: []string{"-r", "--failures-detailed"}},
		"retried":               {script: raise("40P01"), args: []string{"-r", "--max-tries=3", "--verbose-errors", "--failures-detailed"}},
		"retried in block":      {script: "BEGIN;\n" + raise("40001") + "END;\n", args: []string{"--max-tries=2", "--verbose-errors"}},
		"retried within limit":  {script: raise("40001"), args: []string{"--max-tries=2", "-L", "100000"}},
		"several, one failing":  {script: raise("40001"), args: []string{"-r", "-b", "select-only@0", "-s", "1"}},
		"gset without row":      {script: "SELECT 1 WHERE false \\gset\n"},
		"gset of two rows":      {script: "SELECT 1 AS a UNION SELECT 2 \\gset\n"},
		"gset of no query":      {script: "BEGIN \\gset\nEND;\n"},
		"gset bad name":         {script: "SELECT 1 \\gset\n"},
		"aset bad name":         {script: "SELECT 1 AS \"a b\" \\aset p_\n"},
		"undefined variable":    {script: "\\set x 1 + :nosuch\n"},
		"division by zero":      {script: "\\if 1 / 0\n\\endif\n"},
		"malformed variable":    {script: "SELECT 'x' AS v \\gset\n\\set y :v + 1\n"},
		"bad sleep":             {script: "SELECT 'x' AS v \\gset\n\\sleep :v ms\n"},
		"unknown sleep":         {script: "\\sleep :nosuch ms\n"},
		"shell fails":           {script: "\\shell exit 3\n"},
		"set of no name":        {script: "\\set . 1\nselect 1;\n"},
		"setshell of no name":   {script: "\\setshell a-b echo 1\nselect 1;\n"},
		"setshell no number":    {script: "\\setshell v echo word\n"},
		"setshell endless":      {script: "\\setshell v yes 7\n\\set w 1 / (:v - 7)\n"},
		"setshell long line":    {script: "\\setshell v printf 8%99s\n\\set w 1 / (:v - 8)\n"},
		"setshell cut number":   {script: "\\setshell v printf %62s56\n\\set w 1 / (:v - 5)\n"},
		"setshell late number":  {script: "\\setshell v printf %63s5\n\\set w 1 / :v\n"},
		"setshell blank line":   {script: "\\setshell v echo\n\\set w 1 / :v\n"},
		"setshell a C string":   {script: "\\setshell v printf 7\\\\0abc\n\\set w 1 / (:v - 7)\n"},
		"setshell a C int":      {script: "\\setshell v echo 4294967296\n\\set w 1 / :v\n"},
		"setshell above long":   {script: "\\setshell v echo 99999999999999999999\n\\set w 1 / (:v + 1)\n"},
		"setshell two numbers":  {script: "\\setshell v echo 5 6\n"},
		"setshell no output":    {script: "\\setshell v true\n"},
		"setshell undefined":    {script: "\\setshell v echo :nosuch\n"},
		"pipeline not open":     {script: "\\endpipeline\n"},
		"pipeline left open":    {script: "\\startpipeline\nSELECT 1;\n"},
		"pipeline twice":        {script: "\\startpipeline\n\\startpipeline\n\\endpipeline\n"},
		"gset in pipeline":      {script: "\\startpipeline\nSELECT 1 AS a \\gset\n\\endpipeline\n"},
		"error in pipeline":     {script: "\\startpipeline\nSELECT 1;\nSELECT 1/0;\n\\endpipeline\n"},
		"retry in pipeline":     {script: "\\startpipeline\nSELECT 1;\n" + raise("40001") + "\\endpipeline\n", args: []string{"--max-tries=2"}},
		"notice":                {script: "DO $$ BEGIN RAISE WARNING 'mind' USING HINT = 'this'; END $$;\n"},
		"error with everything": {script: "DO $$ BEGIN RAISE EXCEPTION 'a' USING DETAIL = 'b', HINT = 'c'; END $$;\n"},
		"statements joined":     {script: "SELECT 1 \\; SELECT 1/0 \\; SELECT 2;\n"},
		"backend ends":          {script: "SELECT pg_terminate_backend(pg_backend_pid());\n"},
		"backend ends under -C": {script: "SELECT pg_terminate_backend(pg_backend_pid());\n", args: []string{"-C"}},
		"non-ascii error":       {script: "SELECT 'äöü' ||\n\t'ß' + nosuch;\n"},
	} {
		for _, mode := range []string{"simple", "extended", "prepared"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				args := append([]string{"-n", "-t", "2", "--random-seed", "1", "-M", mode, "-f", writeScript(t, c.script)}, c.args...)
				want, got := ref.run(t, append(args, dsn)...), ref.ours(t, append(args, dsn)...)
				want.Stderr, got.Stderr = anyStatement(want.Stderr), anyStatement(got.Stderr)
				if diff := cmp.Diff(blank(want), blank(got)); diff != "" {
					t.Errorf("(-pgbench +qbench):\n%s", diff)
				}
			})
		}
	}
}

// anyStatement hides how prepared statements are called, which changed with
// PostgreSQL 16.
func anyStatement(s string) string { return preparedName.ReplaceAllString(s, `"P"`) }

var preparedName = regexp.MustCompile(`"P[0-9]*_[0-9]+"`)

// TestRefusalsAsPgbench compares what is said about scripts and command lines
// that cannot be run. The server is not asked.
func TestRefusalsAsPgbench(t *testing.T) {
	t.Parallel()
	ref := findReference(t)
	for name, text := range map[string]string{
		"operator missing":   "SELECT 1;\n\\set x 1 2\n",
		"operand missing":    "\\set x 1 +\n",
		"character":          "\\set x 1 ; 2\n",
		"second line":        "SELECT 1;\n\n\\set x \\\n  (1 +\\\n  2\n",
		"unknown function":   "\\set x nosuch(1)\n",
		"arguments":          "\\set x random(1)\n",
		"name missing":       "\\set\n",
		"value missing":      "\\set x\n",
		"unknown command":    "\\nosuch 1 2\n",
		"endif alone":        "\\endif\n",
		"if alone":           "\\if true\n",
		"else twice":         "\\if true\n\\else\n\\else\n\\endif\n",
		"else with argument": "\\if true\n\\else 1\n\\endif\n",
		"sleep unit":         "\\sleep 1 hours\n",
		"sleep number":       "\\sleep x\n",
		"sleep words":        "\\sleep 1 ms now\n",
		"shell empty":        "\\shell\n",
		"gset first":         "\\gset\n",
		"gset after set":     "\\set x 1\n\\gset\n",
		"gset words":         "SELECT 1 \\gset a b\n",
		"case":               "\\set x CASE 1 END\n",
		"big integer":        "\\set x 9223372036854775808\n",
		"big double":         "\\set x 1e400\n",
		"empty":              "-- nothing\n",
		"tab and umlaut":     "\\set\tx\t'ä'\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareRefusals(t, ref, "-f", writeScript(t, text))
		})
	}
	for _, args := range [][]string{
		{"-c", "0"}, {"-c", "x"}, {"-c", " 3 ", "-j", "0"}, {"-t", "-1"}, {"-T", "99999999999"}, {"-R", "x"}, {"-L", "-1"}, {"-M", "x"},
		{"-f", "/nosuch"}, {"-f", "/"}, {"-b", "x"}, {"-b", "s"}, {"-b", "list"}, {"-S@2"}, {"-b", "se@x"}, {"-b", "se@-1"}, {"-b", "se@99999999999"},
		{"-b", "se@"}, {"-b", "se@0"}, {"-D", "x"}, {"-D", "=1"}, {"-D", "x="}, {"-D", "1x=2"}, {"-D", "x y=2"}, {"-t", "1", "-T", "1"},
		{"--sampling-rate", "2", "-l"}, {"--sampling-rate", "1"}, {"--aggregate-interval", "1"}, {"-l", "--aggregate-interval", "2", "-T", "3"},
		{"-l", "--aggregate-interval", "2", "--sampling-rate", ".5"}, {"--log-prefix", "x"}, {"--progress-timestamp"}, {"--max-tries", "-1"},
		{"--max-tries", "0"}, {"--random-seed", "x"}, {"--random-seed", "1x"}, {"-q"}, {"-F", "5"}, {"-I", "x"}, {"-I", ""}, {"--partitions", "x"},
		{"-i", "-S"}, {"-i", "--partition-method", "hash"}, {"-i", "--partition-method", "x"}, {"a", "b"}, {"a", "-S", "b", "c"}, {"--client"}, {"-c"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			compareRefusals(t, ref, args...)
		})
	}
}

func compareRefusals(t *testing.T, ref reference, args ...string) {
	t.Helper()
	want, got := ref.run(t, args...), ref.ours(t, args...)
	// getopt puts the program's path before its own messages.
	want.Stderr = strings.ReplaceAll(want.Stderr, ref.path+": ", "pgbench: ")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pgbench %q (-pgbench +qbench):\n%s", args, diff)
	}
}
