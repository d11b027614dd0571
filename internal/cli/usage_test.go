package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Mistakes on the command line: status 1, nothing on stdout, and a message
// that says what, where, and what to do.
func TestUsageErrors(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.sql")
	if err := os.WriteFile(bad, []byte("select 1;\n\\set x 1 +\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain.sql")
	if err := os.WriteFile(plain, []byte("select 1;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"runn", `unknown command "runn": did you mean "run"?`},
		{"-c 8 run", "-c stands where a command is expected: qbench run -c"},
		{"run", `no strategy is named: give --strategy NAME ("qbench strategies" lists them), all, or a file`},
		{"run -s skip-loked", `unknown strategy "skip-loked": did you mean "skip-locked"? ("qbench strategies" lists them; a file is given as ./FILE.sql)`},
		{"run -s skip-locked,", `-s "skip-locked,": an entry of the list is empty`},
		{"run -s ./nofile.sql", "read the strategy: open ./nofile.sql: no such file or directory"},
		{"run -s " + bad, bad + ":2: syntax error in command \"set\"\n\\set x 1 +\n          ^ error found here"},
		{"run -s skip-locked --layout unloged", `unknown layout "unloged": did you mean "unlogged"? (one of plain, unlogged, partitioned)`},
		{"run -s advisory-lock --layout partitioned", `the strategy "advisory-lock" does not fit the layout "partitioned": it runs on plain, unlogged`},
		{"run -s all --layout partitioned", "those that fit: --strategy advisory-lock-two-step,for-update,partitioned"},
		{"run -s partitioned --layout plain", `the strategy "partitioned" does not fit the layout "plain": it runs on partitioned`},
		{"run -s skip-locked -c 0", `-c "0": not a number of clients: use 1 to 262143`},
		{"run -s skip-locked -c x", `-c "x": not a number of clients: use 1 to 262143`},
		{"run -s skip-locked -c 8,", `-c "8,": an entry of the list is empty`},
		{"run -s skip-locked -j 0", `-j "0": not a number of threads`},
		{"run -s skip-locked -T -1", `-T "-1": not a time: use a number of seconds, or one with a unit such as 500ms, 30s or 5m`},
		{"run -s skip-locked -T 5 -t 5", "-T and -t exclude each other"},
		{"run -s skip-locked -t 0", `-t "0": not a number of transactions: use 1 or more`},
		{"run -s skip-locked -M prepard", `-M "prepard": unknown query mode: did you mean "prepared"?`},
		{"run -s skip-locked -R 0", `-R "0": not a rate: use a number above 0`},
		{"run -s skip-locked -R NaN", `-R "NaN": not a rate`},
		{"run -s skip-locked -L 0", `-L "0": use a time above 0`},
		{"run -s skip-locked -P 0", `-P "0": not a number of seconds`},
		{"run -s skip-locked --repeat 0", `--repeat "0": not a number of repeats`},
		{"run -s skip-locked --seed -1", `--seed "-1": not a whole number`},
		{"run -s skip-locked --orders -1", `--orders "-1": not a number of orders: use `},
		{"run -s partitioned --partitions 0", `--partitions "0": not a number of partitions: use 1 to`},
		{"run -s skip-locked --partitions 8", "--partitions is for the layout partitioned"},
		{"run -s skip-locked --max-tries 0 -t 5", "--max-tries 0 (no limit) needs an end: give -L or -T"},
		{"run -s skip-locked --batch 10", `--batch: the strategy "skip-locked" has no parameter "batch"; those that have it: `},
		{"run -s skip-locked-batch --batch 0", `--batch "0": not a number of orders per transaction`},
		{"run -s skip-locked-batch --batch 5 -D batch=6", "-D batch and --batch set the same"},
		{"run -s advisory-lock --work 10ms", `--work: the strategy "advisory-lock" has no parameter "work"; those that have it: `},
		{"run -s skip-locked --work 10", `--work "10": not a time: use one such as 10ms or 500us, or exp(10ms)`},
		{"run -s skip-locked --work exp(10ms", `--work "exp(10ms": not a time`},
		{"run -s skip-locked -D x", `-D "x": write NAME=VALUE`},
		{"run -s skip-locked -D 1x=2", "-D 1x: not a variable's name"},
		{"run -s skip-locked -D wrk=3", `-D wrk: no script of the run uses the variable "wrk": did you mean "work"?`},
		{"run -s skip-locked -f x.sql", "--strategy and -f exclude each other"},
		{"run -f skip-locked@x", `-f "skip-locked@x": "x" is not a weight`},
		{"run -f skip-locked@0", "the weights of all scripts are 0"},
		{"run -s " + plain + " -T 0", "plain counts no orders, so that only -T or -t can end its run"},
		{"run -s " + plain + " --unlogged", "--unlogged is about the queue, but the script uses none"},
		{"run skip-locked -c 8", `unexpected argument "skip-locked": a strategy is given as --strategy skip-locked`},
		{"run -s skip-locked x -c 8", `unexpected argument "x": qbench run takes flags only`},
		{"run -s skip-locked --client=8 y", `unexpected argument "y"`},
		{"run -s skip-locked --layot x", `unknown flag --layot: did you mean "--layout"?`},
		{"run -s skip-locked -client 8", "unknown flag -client: did you mean --client?"},
		{"run -s skip-locked -z", "unknown flag -z"},
		{"run -s skip-locked -c", "-c needs a value: -c LIST"},
		{"run -s skip-locked --unlogged=yes", `--unlogged takes no value, but was given "yes"`},
		{"run -s skip-locked --format tex", `--format: unknown report format "tex": did you mean "text"?`},
		{"run -s skip-locked --log-prefix x", "--log-prefix names the files of -l: give -l as well"},
		{"run -s skip-locked --dsn postgres://u:s3cr/et@h/db", "the connection string cannot be read (it is not shown, since it may hold a password)"},
		{"run -s skip-locked --dsn host=h --pg-setting fsync=off", "--pg-setting is for the server that qbench starts, but --dsn names one"},
		{"run -s skip-locked --schema-name pg_x --dsn host=h", `the schema "pg_x" belongs to PostgreSQL`},
		{"run -s skip-locked --fail-if p99", `--fail-if: threshold "p99": column 4: expected > >= < or <=`},
		{"run -s skip-locked --setup no.sql", "--setup: open no.sql: no such file or directory"},
		{"run -s skip-locked --setup x.sql --keep-data", "--setup changes a queue that is made, and --keep-data makes none"},
		{"run -s skip-locked -o=", "-o needs the name of a folder"},
		{"report", "no result file is named: qbench report FILE"},
		{"report -o= x", "-o needs the name of a file"},
		{"ab -s skip-locked", "nothing tells the variants apart: give --a, --b or both"},
		{"ab -s skip-locked --a", "--a needs a value: --a FLAGS"},
		{"ab -s skip-locked --b --repeat=2", "--b: unknown flag --repeat"},
		{"ab -s skip-locked --b=skip-locked", "--b: it holds a word that is no flag; a value with blanks needs quotes within the quotes"},
		{"ab -s skip-locked --b='x", "--b: a quote is not closed"},
		{"ab -s skip-locked --b=--help", "--b: --help belongs outside of it"},
		{"ab --b=-c8", "variant a: no strategy is named: give --strategy NAME"},
		{"ab -s skip-locked --b=-c0", `variant b: -c "0": not a number of clients`},
		{"ab -s skip-locked --b=-c1,2", "variant b: it is 2 configurations, and one is compared with one"},
		{"ab -s skip-loked --b=-c2", `variant a: unknown strategy "skip-loked": did you mean "skip-locked"?`},
		{"ab -s skip-locked --b=-c2 --max-pairs 3", "--max-pairs: 3 pairs can never show a slowdown at a false-positive rate of 1%: use 9 or more"},
		{"ab -s skip-locked --b=-c2 --max-pairs 9 --metric orders_per_s,p99", "9 pairs can never show a slowdown at a false-positive rate of 0.5%: use 10 or more"},
		{"ab -s skip-locked --b=-c2 --producers 1 -T 5 --max-pairs 9", "9 pairs can never show a slowdown at a false-positive rate of 0.5%: use 10 or more"},
		{"ab -s skip-locked --b=-c2 --max-pairs 0", `--max-pairs "0": not a number of pairs: use 1 to`},
		{"ab -s skip-locked --b=-c2 --budget 1m", "--budget 1m0s: a slowdown shows after 9 pairs at the earliest, and these take 1m48s: use --budget 1m48s or more"},
		{"ab -s skip-locked --b=-c2 --budget 0", `--budget "0": use a time above 0`},
		{"ab -s skip-locked --b=-c2 --max-slowdown 0", `--max-slowdown "0": not a percentage: use a number from 0.1 to below 100`},
		{"ab -s skip-locked --b=-c2 --metric p98", `--metric: unknown metric "p98"`},
		{"init", `no server is named, and on one that is started for the command alone "qbench init" makes no sense: name one with --dsn or PGHOST`},
		{"check", `"qbench check" makes no sense`},
		{"clean", `"qbench clean" makes no sense`},
		{"init --partitions 3 --dsn host=h", "--partitions is for the layout partitioned"},
		{"strategies a b", `unexpected argument "b": one strategy is shown at a time`},
		{"version x", `unexpected argument "x"`},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := call(strings.Fields(c.line)...)
			if status != int(StatusUsage) || stdout != "" {
				t.Errorf("status %d, stdout %q, want 1 and nothing", status, stdout)
			}
			message, ok := strings.CutPrefix(stderr, "qbench: error: ")
			if !ok || !strings.Contains(message, c.want) {
				t.Errorf("stderr:\n%s\nwant:\n%s", stderr, c.want)
			}
			if strings.Contains(stderr, "s3cr") {
				t.Errorf("the password is shown: %s", stderr)
			}
		})
	}
}

func TestNoCommand(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := call()
	if status != int(StatusUsage) || stdout != "" || !strings.Contains(stderr, "Usage:") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	names := []string{""}
	for _, c := range (&app{}).commands() {
		names = append(names, c.Name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, golden := []string{name, "--help"}, name
			if name == "" {
				line, golden = []string{"--help"}, "qbench"
			}
			status, stdout, stderr := call(line...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d, stderr %q", status, stderr)
			}
			for l := range strings.Lines(stdout) {
				l = strings.TrimSuffix(l, "\n")
				if len([]rune(l)) > helpWidth || strings.TrimRight(l, " ") != l {
					t.Errorf("line is too long or ends in blanks: %q", l)
				}
			}
			compareGolden(t, filepath.Join("testdata", "help", golden+".txt"), stdout)
			if _, again, _ := call("help", name); name != "" && again != stdout {
				t.Errorf("\"help %s\" differs from \"%s --help\"", name, name)
			}
		})
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant (go test -update rewrites it):\n%s", got, want)
	}
}
