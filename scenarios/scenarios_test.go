package scenarios

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qbench/runner/script"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestListGolden shows what every shipped strategy declares, so that a change
// of one is seen in review.
func TestListGolden(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range List() {
		fmt.Fprintf(&b, "%s: %s\n  %s on %s\n", s.Name, s.Summary, s.Workload, strings.Join(s.Layouts, ", "))
		for _, p := range s.Params {
			fmt.Fprintf(&b, "  param %s = %s (%s)\n", p.Name, p.Default, p.Help)
		}
		for _, p := range s.State {
			fmt.Fprintf(&b, "  state %s = %s\n", p.Name, p.Default)
		}
		if len(s.Functions) > 0 {
			fmt.Fprintf(&b, "  functions %s\n", strings.Join(s.Functions, ", "))
		}
		for i, how := range s.Orders {
			if how != script.NotCounted {
				fmt.Fprintf(&b, "  orders by %s: %s\n", map[script.OrderCount]string{script.CountRows: "rows", script.CountValue: "value"}[how], s.Script.Commands[i].Text)
			}
		}
		for _, mode := range []string{"simple", "prepared", "pipelined"} {
			line, why := s.PgbenchLine(Invocation{Mode: mode, Clients: 8, Threads: 2, Duration: 30 * time.Second, Variables: s.Variables(8, 256, nil)})
			fmt.Fprintf(&b, "  %s: %s%s\n", mode, line, why)
		}
	}
	golden := filepath.Join("testdata", "list.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("run go test -update if this is meant:\n%s", diff)
	}
}

func TestShippedAreComplete(t *testing.T) {
	t.Parallel()
	for _, s := range List() {
		if s.Summary == "" || s.Workload == "" || len(s.Layouts) == 0 {
			t.Errorf("%s: the header lacks a summary, a workload or layouts", s.Name)
		}
		if !s.CountsOrders() {
			t.Errorf("%s: no statement counts orders", s.Name)
		}
		for _, p := range s.Params {
			if p.Help == "" {
				t.Errorf("%s: the param %s has no help", s.Name, p.Name)
			}
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mine.sql")
	if err := os.WriteFile(file, []byte("select 1;"), 0o600); err != nil {
		t.Fatal(err)
	}
	syms := script.NewSymbols()
	s, err := Load(file, syms)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mine" || s.Path != file || s.CountsOrders() || s.Fits("partitioned") != nil {
		t.Errorf("a file without a header: %+v", s)
	}
	if _, err := Load("skip-locked-batch", syms); err != nil {
		t.Fatal(err)
	}
	if _, ok := syms.Lookup([]byte("batch")); !ok {
		t.Error("the script's variables are not in the run's symbols")
	}
	for name, want := range map[string]string{
		"skip-lokced": `unknown strategy "skip-lokced": did you mean "skip-locked"? ("qbench strategies" lists them; a file is given as ./FILE.sql)`,
		"nonsense":    `unknown strategy "nonsense" ("qbench strategies" lists them; a file is given as ./FILE.sql)`,
		"":            `unknown strategy "" ("qbench strategies" lists them; a file is given as ./FILE.sql)`,
		"..":          `unknown strategy ".." ("qbench strategies" lists them; a file is given as ./FILE.sql)`,
	} {
		if _, err := Load(name, syms); err == nil || err.Error() != want {
			t.Errorf("Load(%q): %v, want %s", name, err, want)
		}
	}
	if _, err := Load("./no-such.sql", syms); err == nil || !os.IsNotExist(unwrap(err)) {
		t.Errorf("a missing file: %v", err)
	}
}

func unwrap(err error) error {
	if e, ok := err.(interface{ Unwrap() error }); ok {
		return e.Unwrap()
	}
	return err
}

func TestEmbeddedAreTheFiles(t *testing.T) {
	t.Parallel()
	onDisk, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onDisk, embedded); diff != "" {
		t.Error(diff)
	}
	if len(List()) != len(onDisk) {
		t.Errorf("%d strategies for %d files", len(List()), len(onDisk))
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	s, err := Load("advisory-lock", script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fits("unlogged"); err != nil {
		t.Error(err)
	}
	want := `the strategy "advisory-lock" does not fit the layout "partitioned": it runs on plain, unlogged`
	if err := s.Fits("partitioned"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	s, err := Load("partitioned-skip-locked", script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name                string
		clients, partitions int
		given, want         map[string]string
	}{
		{"the run's numbers", 8, 16, nil, map[string]string{"clients": "8", "partitions": "16", "turn": "0", "moved": "1"}},
		{"defaults", 0, 0, nil, map[string]string{"clients": "1", "partitions": "256", "turn": "0", "moved": "1"}},
		{"given wins", 8, 16, map[string]string{"clients": "3", "x": "y"}, map[string]string{"clients": "3", "partitions": "16", "turn": "0", "moved": "1", "x": "y"}},
	} {
		if diff := cmp.Diff(tt.want, s.Variables(tt.clients, tt.partitions, tt.given)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	batch, err := Load("skip-locked-batch", script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"batch": "10"}, batch.Variables(8, 16, nil)); diff != "" {
		t.Errorf("a strategy without these params: %s", diff)
	}
}

func TestPgbenchLineQuotes(t *testing.T) {
	t.Parallel()
	s, err := parse("my dir/it's@home.sql", "select 1;", script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	line, why := s.PgbenchLine(Invocation{Transactions: 5, Variables: map[string]string{"b": "", "a": "x y", "c": "$HOME"}})
	want := `pgbench -n -t 5 -D 'a=x y' -D b= -D 'c=$HOME' -f 'my dir/it'\''s@home.sql@1'`
	if line != want || why != "" {
		t.Errorf("%s (%s)\nwant %s", line, why, want)
	}
}
