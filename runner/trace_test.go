package runner_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"qbench/internal/pgserver/pgtest"
	"qbench/runner"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// traceScripts are run twice by one client with the seed of scriptedConfig; the second time uses what the first prepared.
var traceScripts = []struct {
	name   string
	source string
	modes  []runner.Mode // all where not given
}{
	{name: "a block", source: `begin;
select 7 as vid \gset
with d as (delete limit 1) insert into u select :vid;
end;
`},
	{name: "an autocommit statement", source: "insert into u limit 2;\n"},
	{name: "random numbers, NULL and quotes", source: `\set r random(1, 1000000)
\set g random_gaussian(1, 1000, 2.5)
insert into u values (:r, :g, 'it''s', ':r', E'\\', :unset);
`},
	{name: "a result that decides", source: `\set vid 0
begin;
select 7 as vid \aset
\if :vid > 0
insert into u select :vid;
\else
select 1 as never;
\endif
end;
`},
	{name: "several statements in a message", source: "begin\\; insert into u limit 2\\; commit;\n", modes: []runner.Mode{runner.Simple}},
	{name: "a pipeline", source: "\\startpipeline\nbegin;\ninsert into u limit 2;\ncommit;\n\\endpipeline\n", modes: pipelining},
	{name: "a pipeline after a statement", source: "begin;\n\\startpipeline\ninsert into u limit 1;\nupdate t limit 1;\n\\endpipeline\nend;\n", modes: pipelining},
	{name: "a pipeline that fails and is tried again", source: "begin;\n\\startpipeline\ninsert into u limit 1;\nselect fail_once(40001);\n\\endpipeline\nend;\n", modes: pipelining},
	{name: "an error that aborts the client", source: "begin;\ninsert into u limit 1;\nselect fail(22012);\nend;\n"},
	{name: "an error that is tried again", source: "begin;\ninsert into u limit 1;\nselect fail_once(40001);\nend;\n"},
	{name: "an error outside a block that is tried again", source: "insert into u select fail_once(40001);\n"},
	{name: "a statement that can't be parsed", source: "begin;\ninsert into no_such_table limit 1;\nend;\n"},
	{name: "rollback and savepoints", source: "begin;\nsavepoint a;\ninsert into u limit 1;\nrollback to a;\nrelease a;\nrollback;\n"},
	{name: "comments that look like transaction commands", source: "/* begin: x */ update t limit 1;\n-- begin\nupdate t limit 2;\n/* /* nested */ */ begin;\nupdate t limit 3;\n-- end of it\ncommit;\n"},
}

// TestWireTraces compares the messages of each mode, in order, with golden files. A line that is indented is the reply.
func TestWireTraces(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			fmt.Fprintf(&out, "# What a client sends with -M %s, and the replies. go test ./runner -run WireTraces -update\n", mode)
			for _, sc := range traceScripts {
				if sc.modes != nil && !slices.Contains(sc.modes, mode) {
					continue
				}
				_, sessions := runScripted(t, startScripted(t), scriptedConfig(t, mode, sc.source))
				fmt.Fprintf(&out, "\n# %s\n%s", sc.name, sessions[0].exchange.String())
			}
			name := filepath.Join("testdata", "wire", string(mode)+".golden")
			if *update {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, expected := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
			for i := range max(len(got), len(expected)) {
				if i >= len(got) || i >= len(expected) || got[i] != expected[i] {
					t.Fatalf("%s:%d differs:\ngot  %q\nwant %q", name, i+1, got[i:min(i+5, len(got))], expected[i:min(i+5, len(expected))])
				}
			}
		})
	}
}

// TestPgbenchSendsTheSame runs the same scripts with pgbench: the same messages in the same order, parameters and random
// numbers included. Pipelined is not among its modes. After an error in a pipeline pgbench sends another Sync, to find the end
// of what it has sent; qbench knows where that is.
func TestPgbenchSendsTheSame(t *testing.T) {
	t.Parallel()
	pgbench := pgtest.Pgbench(t)
	for _, mode := range []runner.Mode{runner.Simple, runner.Extended, runner.Prepared} {
		for _, sc := range traceScripts {
			if sc.modes != nil && !slices.Contains(sc.modes, mode) {
				continue
			}
			t.Run(string(mode)+"/"+sc.name, func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, sc.source)
				_, sessions := runScripted(t, startScripted(t), cfg)
				file := filepath.Join(t.TempDir(), "script.sql")
				if err := os.WriteFile(file, []byte(sc.source), 0o644); err != nil {
					t.Fatal(err)
				}
				s := startScripted(t)
				cmd := exec.Command(pgbench, "-n", "-h", "127.0.0.1", "-p", strconv.Itoa(s.port()), "-U", "u", "-M", string(mode), "-f", file,
					"-t", strconv.FormatInt(cfg.Transactions, 10), "--max-tries", strconv.Itoa(cfg.MaxTries), "--random-seed", strconv.FormatUint(cfg.Seed, 10), "d")
				cmd.Env = []string{"PGSSLMODE=disable", "PGGSSENCMODE=disable", "PGPASSFILE=" + file + ".none", "LC_ALL=C"}
				text, err := cmd.CombinedOutput()
				if _, exited := err.(*exec.ExitError); err != nil && !exited {
					t.Fatal(err)
				}
				s.listener.Close()
				// One of its connections only looks whether there is a server.
				last := slices.MaxFunc(s.wait(), func(a, b *session) int { return len(a.trace) - len(b.trace) })
				if len(last.trace) == 0 || !slices.Equal(sessions[0].trace, slices.CompactFunc(slices.Clone(last.trace), bothSync)) {
					t.Errorf("qbench sends\n%s\npgbench sends\n%s\nand says\n%s", strings.Join(sessions[0].trace, "\n"), strings.Join(last.trace, "\n"), text)
				}
			})
		}
	}
}

func bothSync(a, b string) bool { return a == "Sync" && b == "Sync" }
