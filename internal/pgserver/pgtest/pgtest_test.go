package pgtest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func ask(t *testing.T, dsn, sql string) string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}
	last := results[len(results)-1]
	if len(last.Rows) == 0 {
		return ""
	}
	return string(last.Rows[0][0])
}

func TestSchemaIsFreshAndDropped(t *testing.T) {
	t.Parallel()
	var schemas [2]string
	count := func(schema string) string {
		return ask(t, pgtest.DSN(t), "select count(*) from pg_namespace where nspname = '"+schema+"'")
	}
	for i := range schemas {
		t.Run("user", func(t *testing.T) {
			dsn, schema := pgtest.Schema(t)
			if schemas[i] = schema; count(schema) != "0" {
				t.Errorf("schema %s exists already", schema)
			}
			ask(t, dsn, "create schema "+schema+"; create table "+schema+".t (a int); select 1")
		})
		if got := count(schemas[i]); got != "0" {
			t.Errorf("schema %s was not dropped", schemas[i])
		}
	}
	if schemas[0] == schemas[1] {
		t.Errorf("schema %s was given twice", schemas[0])
	}
}

// TestWithoutServer is what the next test runs in a process of its own, where no server can be had.
func TestWithoutServer(t *testing.T) { pgtest.DSN(t) }

func TestMissingBinariesAreNamed(t *testing.T) {
	t.Parallel()
	for ci, want := range map[string]string{"": "--- SKIP: TestWithoutServer", "true": "--- FAIL: TestWithoutServer"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWithoutServer$", "-test.v")
		cmd.Env = append(os.Environ(), "CI="+ci, "QBENCH_TEST_DSN=", "QBENCH_PG_BINDIR=/nowhere")
		out, err := cmd.CombinedOutput()
		if (err == nil) != (ci == "") {
			t.Errorf("CI=%q: %v", ci, err)
		}
		for _, part := range []string{want, "TestWithoutServer needs PostgreSQL", "/nowhere"} {
			if !strings.Contains(string(out), part) {
				t.Errorf("CI=%q: output lacks %q:\n%s", ci, part, out)
			}
		}
	}
}

func TestNamedServerIsUsed(t *testing.T) {
	const named = "host=db.example dbname=q"
	t.Setenv("QBENCH_TEST_DSN", named)
	if got := pgtest.DSN(t); got != named {
		t.Errorf("DSN = %q, want %q", got, named)
	}
}
