package pgbench

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"qbench/internal/pgserver/pgtest"
)

// A mistake in a script of three lines, as the user sees it.
func TestMistakesInScriptsShowTheirPlace(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"operand":   "\\set id random(1, 10)\n\\set twice :id * * 2\nSELECT :twice;\n",
		"function":  "SELECT 1;\n\\set x lest(1, 2)\nSELECT :x;\n",
		"character": "SELECT 1;\n\n\\set x 1 ? 2\n",
		"command":   "SELECT 1;\nSELECT 2;\n\\slep 1\n",
		"unit":      "SELECT 1;\nSELECT 2;\n\\sleep 1 min\n",
		"if":        "\\if true\nSELECT 1;\nSELECT 2;\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeScript(t, text)
			got := ours(t.Context(), "-f", path)
			shown := fmt.Sprintf("status %d\n%s", got.Status, strings.ReplaceAll(got.Stdout+got.Stderr, path, "script.sql"))
			golden(t, "mistake-"+name+".txt", shown)
		})
	}
}

// The blanks before a figure that begins a line are part of it: they fill up its column.
var numbers = regexp.MustCompile(`(?m)(?:^ +)?[0-9]+\.[0-9]+`)

// The options that the pgbench at hand may be too old for.
func TestNewerOptions(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	fails := "SELECT 1/:client_id;\n"
	for name, c := range map[string]struct {
		script string
		args   []string
	}{
		"continue-on-error":       {fails, []string{"--continue-on-error", "-c", "2", "-r"}},
		"continue-on-error-in":    {"BEGIN;\n" + fails + "END;\n", []string{"--continue-on-error", "-c", "1", "--failures-detailed", "--verbose-errors"}},
		"continue-on-error-19":    {fails, []string{"--continue-on-error", "-c", "2", "-j", "2", "--failures-detailed", "--compat", "19"}},
		"exit-on-abort":           {fails, []string{"--exit-on-abort"}},
		"aborted":                 {fails, []string{"--compat", "18"}},
		"pipelined":               {"BEGIN;\nSELECT 1;\nEND;\nSELECT 2 AS two \\gset\n\\set x debug(:two)\n", []string{"-M", "pipelined"}},
		"syncpipeline":            {"\\startpipeline\nSELECT 1;\n\\syncpipeline\nSELECT 2;\n\\endpipeline\n", []string{"-M", "prepared"}},
		"backend-ends":            {"SELECT pg_terminate_backend(pg_backend_pid());\n", []string{"-C"}},
		"copy":                    {"COPY (SELECT 1) TO STDOUT;\n", nil},
		"no-variable-for-a-query": {"\\set " + strings.Repeat("x", 3) + " 1\nSELECT :xxx::int" + strings.Repeat(" + :xxx", 260) + ";\n", []string{"-M", "extended"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeScript(t, c.script)
			got := ours(t.Context(), append([]string{"-n", "-t", "2", "-f", path, dsn}, c.args...)...)
			text := fmt.Sprintf("status %d\n--- stdout\n%s--- stderr\n%s", got.Status, banner.ReplaceAllString(got.Stdout, ""), got.Stderr)
			golden(t, "run-"+name+".txt", numbers.ReplaceAllString(strings.ReplaceAll(text, path, "script.sql"), "N"))
		})
	}
}

// cancelling ends the run as soon as it has said something.
type cancelling struct {
	text   bytes.Buffer
	cancel context.CancelFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("debug(")) {
		c.cancel()
	}
	return c.text.Write(p)
}

func TestInterruptedRunReports(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &cancelling{cancel: cancel}
	// Nothing else would end it within an hour.
	status := Main(ctx, []string{"-n", "-T", "3600", "-c", "2", "-f", writeScript(t, "\\set x debug(1)\nSELECT 1;\n"), pgtest.DSN(t)}, nil, &stdout, stderr)
	if status != statusInterrupted || !strings.Contains(stdout.String(), "\ntps = ") ||
		!strings.HasSuffix(stderr.text.String(), "pgbench: error: Run was interrupted; the above results are incomplete.\n") {
		t.Errorf("status %d\n%s", status, stdout.String())
	}
}

func TestInterruptedBeforeTheStart(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := ours(ctx, "-n", "-f", writeScript(t, "SELECT 1;"), dsn)
	if got.Status != statusInterrupted {
		t.Errorf("%+v", got)
	}
}

// The vacuum of tables that are not there is no reason to stop, and the scale
// of those that are beats -s.
func TestPreparationOfTheTables(t *testing.T) {
	t.Parallel()
	dsn, schema := pgtest.Schema(t)
	target := dsn + " options='-c search_path=" + schema + "'"
	got := ours(t.Context(), "-t", "1", "-f", writeScript(t, "SELECT 1;"), target)
	golden(t, "vacuum-without-tables.txt", fmt.Sprintf("status %d\n%s", got.Status, got.Stderr))
	makeTables(t, dsn, schema)
	got = ours(t.Context(), "-t", "1", "-S", "-v", "-s", "9", target)
	text := fmt.Sprintf("status %d\n--- stdout\n%s--- stderr\n%s", got.Status, banner.ReplaceAllString(got.Stdout, ""), got.Stderr)
	golden(t, "vacuum-with-tables.txt", numbers.ReplaceAllString(text, "N"))
}

// makeTables makes empty tables as pgbench -i does, of scale 3 and partitioned.
func makeTables(t *testing.T, dsn, schema string) {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	sql := `create schema ` + schema + `; set search_path = ` + schema + `;
		create table pgbench_branches (bid int); insert into pgbench_branches select generate_series(1, 3);
		create table pgbench_tellers (tid int); create table pgbench_history (tid int);
		create table pgbench_accounts (aid int, abalance int) partition by hash (aid);
		create table pgbench_accounts_1 partition of pgbench_accounts for values with (modulus 2, remainder 0);
		create table pgbench_accounts_2 partition of pgbench_accounts for values with (modulus 2, remainder 1)`
	if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
