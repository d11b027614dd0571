package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rogpeppe/go-internal/testscript"

	"qbench/internal/pgserver/pgtest"
)

func init() {
	runTests = func(m *testing.M) { testscript.Main(tests{m}, map[string]func(){"qbench": qbench}) }
}

// tests is what runs when the binary is not asked to be qbench.
type tests struct{ *testing.M }

func (m tests) Run() int {
	forgetServers()
	return m.M.Run()
}

// TestScripts runs the cases in testdata/script. Besides testscript's own
// commands they have:
//
//	status N COMMAND …   run it and compare its exit status
//	results FILE WORD …  write a result file of made-up runs: see writeResults
//	sql STATEMENT        run it on the tests' server, in the case's schema; its rows are stdout
//
// $SCHEMA is a schema that only the case uses. No server is named unless the
// case says "server".
func TestScripts(t *testing.T) {
	dsn := pgtest.DSN(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// The server's template is kept there, and its folder must be
			// one that its user can reach.
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("TMPDIR", "")
			_, schema := pgtest.Schema(t)
			e.Setenv("SCHEMA", schema)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				err := ts.Exec(args[1], args[2:]...)
				got := 0
				var ee *exec.ExitError
				if errors.As(err, &ee) {
					got = ee.ExitCode()
				} else if err != nil {
					ts.Fatalf("%v", err)
				}
				if fmt.Sprint(got) != args[0] {
					ts.Fatalf("exit status %d, want %s", got, args[0])
				}
			},
			"results": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Check(writeResults(ts.MkAbs(args[0]), args[1:]))
			},
			"server": func(ts *testscript.TestScript, neg bool, args []string) {
				for _, v := range serverEnv(t, dsn) {
					name, value, _ := strings.Cut(v, "=")
					ts.Setenv(name, value)
				}
			},
			"sql": func(ts *testscript.TestScript, neg bool, args []string) {
				out, err := runSQL(dsn, ts.Getenv("SCHEMA"), strings.Join(args, " "))
				if err != nil {
					ts.Fatalf("%v", err)
				}
				_, err = ts.Stdout().Write([]byte(out))
				ts.Check(err)
			},
		},
	})
}

// serverEnv names the tests' server as libpq's variables do.
func serverEnv(t testing.TB, dsn string) []string {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"PGHOST=" + c.Host, fmt.Sprint("PGPORT=", c.Port), "PGUSER=" + c.User, "PGPASSWORD=" + c.Password, "PGDATABASE=" + c.Database, "PGSSLMODE=disable",
	}
}

func runSQL(dsn, schema, sql string) (string, error) {
	ctx := context.Background()
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", err
	}
	c.RuntimeParams["search_path"] = schema
	conn, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range results {
		for _, row := range r.Rows {
			b.Write(bytes.Join(row, []byte("|")))
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}
