package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
)

// qbenchOn runs qbench to its end and returns its output and exit status.
func qbenchOn(t *testing.T, dsn string, args ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append(args, "--dsn", dsn)...)
	cmd.Env = append(os.Environ(), beQbench+"=1")
	out, _ := cmd.CombinedOutput() // the status says it
	return string(out), cmd.ProcessState.ExitCode()
}

// eventually waits until a query on a server is true.
func eventually(t *testing.T, dsn, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for ok := false; !ok; {
		if err := conn.QueryRow(ctx, sql, args...).Scan(&ok); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// A run that is going on is left alone by everything else, and one that was
// killed leaves a queue that check doesn't call sound.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	dsn, schema := pgtest.Schema(t)
	p := start(t, "run", "-s", "skip-locked", "-c", "4", "-T", "3600", "-P", "1", "--orders", "300000", "--schema-name", schema, "--dsn", dsn)
	p.waitFor(t, "^progress: ")
	on := []string{"--schema-name", schema}
	for command, want := range map[string]struct {
		status int
		text   string
	}{
		"clean": {1, fmt.Sprintf("schema %q is in use by another qbench run since ", schema)},
		"init":  {1, fmt.Sprintf("schema %q is in use by another qbench run since ", schema)},
		"check": {2, "NOT AUDITED: a run is going on since "},
	} {
		text, status := qbenchOn(t, dsn, append([]string{command}, on...)...)
		if status != want.status || !strings.Contains(text, want.text) || !strings.Contains(text, fmt.Sprintf("(process %d on ", p.cmd.Process.Pid)) {
			t.Errorf("%s during a run: exit status %d\n%s", command, status, text)
		}
	}
	p.signal(t, syscall.SIGKILL)
	p.wait(t)
	eventually(t, dsn, "select not exists (select from pg_locks where locktype = 'advisory' and objsubid = 2 and objid = (hashtext($1)::int8 & 4294967295)::oid)", schema)
	text, status := qbenchOn(t, dsn, append([]string{"check"}, on...)...)
	if status != 2 || !strings.Contains(text, "NOT AUDITED: the counts of the run that began at ") || !strings.Contains(text, fmt.Sprintf("(process %d on ", p.cmd.Process.Pid)) {
		t.Errorf("check after a kill: exit status %d\n%s", status, text)
	}
	// A further run on the queue makes the missing counts no better; a new queue does.
	text, status = qbenchOn(t, dsn, append([]string{"run", "--keep-data", "-s", "skip-locked", "-t", "10"}, on...)...)
	if status != 0 {
		t.Errorf("a further run: exit status %d\n%s", status, text)
	}
	if text, status := qbenchOn(t, dsn, append([]string{"check"}, on...)...); status != 2 || !strings.Contains(text, "NOT AUDITED: the counts of the run that began at ") {
		t.Errorf("check after a further run: exit status %d\n%s", status, text)
	}
	if text, status := qbenchOn(t, dsn, append([]string{"run", "-s", "skip-locked", "-t", "10", "--orders", "100"}, on...)...); status != 0 {
		t.Errorf("a new queue: exit status %d\n%s", status, text)
	}
	if text, status := qbenchOn(t, dsn, append([]string{"check"}, on...)...); status != 0 {
		t.Errorf("check of a new queue: exit status %d\n%s", status, text)
	}
}

// Ctrl-C in the middle of seeding says what stays.
func TestInterruptSeeding(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"init"}, {"run", "-s", "skip-locked"}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			dsn, schema := pgtest.Schema(t)
			p := start(t, append(command, "--orders", "20000000", "--schema-name", schema, "--dsn", dsn)...)
			eventually(t, dsn, "select exists (select from pg_tables where schemaname = $1)", schema)
			p.signal(t, os.Interrupt)
			if status := p.wait(t); status != int(StatusInterrupted) {
				t.Errorf("exit status %d", status)
			}
			want := fmt.Sprintf("interrupted while seeding: the tables t_order_q and t_order_u in schema %q stay, incomplete; the next \"qbench run\" or \"qbench init\" replaces them", schema)
			if !strings.Contains(p.said.String(), want) {
				t.Errorf("%q is not in\n%s", want, &p.said)
			}
		})
	}
}

// A server that is restarted costs a repeat its clients, not its audit, and the
// other repeats go on. One that stays away costs the repeats that follow.
func TestRestartBetweenRepeats(t *testing.T) {
	t.Parallel()
	server := pgtest.NewPrivate(t)
	p := start(t, "run", "-s", "skip-locked", "-c", "2", "-T", "4", "-P", "1", "--orders", "100000", "--repeat", "2", "--dsn", server.DSN)
	p.waitFor(t, "^progress: ")
	if err := server.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(t); status != int(StatusIncomplete) {
		t.Errorf("exit status %d\n%s", status, &p.said)
	}
	if n := strings.Count(p.said.String(), ", audit ok"); n != 2 {
		t.Errorf("%d of 2 repeats with a good audit:\n%s\n%s", n, &p.said, &p.stdout)
	}

	p = start(t, "run", "-s", "skip-locked", "-c", "2", "-T", "4", "-P", "1", "--orders", "100000", "--repeat", "2", "--recovery-timeout", "200ms", "--dsn", server.DSN)
	p.waitFor(t, "^progress: ")
	if err := server.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(t); status != int(StatusIncomplete) {
		t.Errorf("exit status %d\n%s", status, &p.said)
	}
	if text := p.stdout.String(); !strings.HasPrefix(text, "NOT AUDITED: ") || !strings.Contains(text, "the server did not come back within 200ms") {
		t.Errorf("report:\n%s", text)
	}
}
