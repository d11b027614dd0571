package cli

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"qbench/internal/cli/pgbench"
)

// hidden are command lines with a connection string X in a place where it belongs, or where it stands by mistake. None gets
// further than a connection that is refused.
var hidden = []string{
	"X", "help X", "X run", "run X", "run -s skip-locked X", "run -s X", "run -sX", "run -s=X", "run --strategy=X", "run --X", "run --dsnX", "run -X", "run -dX",
	"run -s skip-locked --dsn X", "run -s skip-locked --dsn=X", "run -s skip-locked --dns=X", "run --dsn", "run -s skip-locked --unlogged=X",
	"run -s skip-locked -c X", "run -s skip-locked -c 1,X", "run -s skip-locked -T X", "run -s skip-locked -MX", "run -s skip-locked -D X", "run -s skip-locked -D a=X",
	"run -f X", "run -f X@3", "run -f skip-locked@X", "run -s skip-locked --layout X", "run -s advisory-lock --work X", "run -s skip-locked --fail-if X",
	"run -s skip-locked --dsn host=/nosuch --pg-setting X", "run -s skip-locked --dsn host=/nosuch --schema-name X", "run -s skip-locked --setup X",
	"run -s skip-locked --format X", "run -s skip-locked --seed X", "run -s skip-locked --pg-bindir X", "run -s skip-locked --json X --dsn host=/nosuch",
	"compare X", "compare X X", "report X", "report -o X X", "strategies X", "strategies a X", "version X", "init X", "init --dsn X", "check X", "check --dsn X", "clean --dsn X", "clean X",
	"ab -s skip-locked --a X --b -c2", "ab -s skip-locked --a=--dsn=X --b -c2", "ab -s skip-locked --b", "ab X", "capacity X", "capacity -s X", "capacity -s skip-locked --dsn X",
	"pgbench X", "pgbench -d X", "pgbench -dX", "pgbench --dbname=X", "pgbench --db X", "pgbench --dbnameX", "pgbench -h X", "pgbench -p X", "pgbench -U X -h /nosuch", "pgbench -c X", "pgbench -TX",
	"pgbench -f X", "pgbench -f X@3", "pgbench -b X", "pgbench -b simple@X", "pgbench -D X", "pgbench -M X", "pgbench -zX", "pgbench --X", "pgbench -i X", "pgbench -i -d X", "pgbench --debug X",
	"pgbench a X", "pgbench X X", "pgbench --random-seed X", "pgbench -i -I X", "pgbench -h /nosuch -p 77 -U u X", "pgbench --debug=X", "pgbench -R X", "pgbench --partition-method=X -i",
}

// Whatever the password is, however the connection string is written and wherever it stands, no piece of the password is
// shown.
func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// No message has two of these letters in a row; every piece of 4 characters has two of them.
		password := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[@:/?#%&=+'" ;,!$()*~^|<>{}\[\]\\_.0-9ü-]?[QZXJKVW]`), 2, 8).Draw(t, "password"), "")
		user := rapid.SampledFrom([]string{"localhost", "u", "127.0.0.1"}).Draw(t, "user")
		quoted := "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(password) + "'"
		dsn := rapid.SampledFrom([]string{
			"postgres://" + user + ":" + password + "@127.0.0.1:1/db",
			"postgres://" + user + ":" + url.QueryEscape(password) + "@127.0.0.1:1/db",
			"postgresql://" + user + ":" + password + "@127.0.0.1:1/db?sslmode=disable",
			// No host, as far as can be told: with an @ there would be one, and digits and a slash would be a port and a database.
			"postgres://" + user + ":Z" + strings.ReplaceAll(password, "@", ""),
			user + ":" + password + "@127.0.0.1/db",
			"postgres://127.0.0.1:1/db?user=" + user + "&password=" + password,
			"host=127.0.0.1 port=1 user=" + user + " password=" + password,
			"password=" + password + " host=127.0.0.1 port=1",
			"host=127.0.0.1 port=1 password=" + quoted + " user=u",
			"host=127.0.0.1 port=1 password = " + quoted,
			"host=127.0.0.1 port=x PASSWORD=" + quoted,
			"PGPASSWORD=" + password,
		}).Draw(t, "connection string")
		line := rapid.SampledFrom(hidden).Draw(t, "command line")
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "X", dsn)
		}
		_, stdout, stderr := call(args...)
		for from := range len(password) - 3 {
			if piece := password[from : from+4]; strings.Contains(stdout+stderr, piece) {
				t.Fatalf("%q shows %q of %q:\n%s%s", args, piece, password, stdout, stderr)
			}
		}
	})
}

// The issue's own examples.
func TestPasswordsOfTheIssueAreNotShown(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"pgbench", "-n", "postgres://u:Pw/x@y#z@h/db"}, {"run", "postgres://u:pw@h/db"}, {"run", "--dsnpostgres://u:pw@h/db"}, {"run", "--dsnpostgres://u:Pw=x@h/db"},
	} {
		_, stdout, stderr := call(args...)
		for _, piece := range []string{"Pw", "x@y", "#z", "pw"} {
			if strings.Contains(stdout+stderr, piece) {
				t.Errorf("%q shows %q: %s%s", args, piece, stdout, stderr)
			}
		}
	}
	if _, _, stderr := call("run", "postgres://u:pw@h/db"); !strings.Contains(stderr, `unexpected argument "postgres://u:xxxxx@h/db": qbench run takes flags only`) {
		t.Errorf("%s", stderr)
	}
}

// The record of a command line holds none either.
func TestPasswordsAreNotRecorded(t *testing.T) {
	t.Parallel()
	got := recordedArgs([]string{"qbench", "run", "-D", "url=postgres://u:s3cret@h/db", "--dsn", "host=h password=s3cret", "--define=password=s3cret", "-c", "8"})
	if line := strings.Join(got, " "); strings.Contains(line, "s3cret") || !strings.HasSuffix(line, "-c 8") {
		t.Errorf("%q", got)
	}
}

// Not parallel: the variable is the process's.
func TestPasswordFileOfOthersIsNamed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("libpq checks no password file on Windows")
	}
	path := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(path, []byte("*:*:*:*:s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGPASSFILE", path)
	const want = "WARNING: password file \"%\" has group or world access; permissions should be u=rw (0600) or less\n"
	for name, run := range map[string]func(out, err *bytes.Buffer) int{
		"run": func(out, err *bytes.Buffer) int {
			return Main(context.Background(), []string{"qbench", "run", "-s", "skip-locked", "--dsn", "host=127.0.0.1 port=1 user=u"}, strings.NewReader(""), out, err)
		},
		"pgbench": func(out, err *bytes.Buffer) int {
			return pgbench.Main(context.Background(), []string{"-h", "127.0.0.1", "-p", "1", "-U", "u", "d"}, strings.NewReader(""), out, err)
		},
	} {
		var out, err bytes.Buffer
		if status := run(&out, &err); status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
		if line := strings.Replace(want, "%", path, 1); !strings.HasPrefix(err.String(), line) || strings.Count(err.String(), "WARNING") != 1 {
			t.Errorf("%s: %s", name, err.String())
		}
	}
}
