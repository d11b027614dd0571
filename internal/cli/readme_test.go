package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"qbench/internal/pgserver/pgtest"
)

// scaled makes a command of the README small enough for a test: the same
// flags, less of everything.
var scaled = []struct{ pattern, with string }{
	{`(qbench ab .*)-T [0-9]+`, "${1}--warmup 0 --orders 5000 -t 5"},
	{`-T [0-9]+[sm]?`, "-T 1"},
	{`-t [0-9]+`, "-t 5"},
	{`-c 2,4,8`, "-c 2"},
	{`-c 256`, "-c 8"},
	{`-c 64`, "-c 4"},
	{`--clients [0-9,]+`, "--clients 2"},
	{`--work 1s`, "--work 5ms"},
	{`--repeat [0-9]+`, "--repeat 5"},                            // fewer could never find a slowdown
	{`--max-slowdown 5%`, "--max-slowdown 90% --undecided pass"}, // the migration's index costs more than 5%
	{` --warmup 1`, ""},
	{`--max-pairs [0-9]+`, "--max-pairs 9"},
	{`--headroom 30%`, "--headroom 30% --confirm 1"},
	{`queue_p99<1s`, "queue_p50<10s"},                              // known whichever orders still wait
	{`(qbench capacity .*--slo .*)`, "$1 || test $$? -eq 3"},       // a machine that stands still for a second meets no objective
	{`--enqueue-rate 2000`, "--enqueue-rate 200 --undecided pass"}, // orders may wait at the end of a second
	{`p99>5s`, "p99>10s"},                                          // what a second of load and the grace can just break
	{` --pg-setting [^ ]+`, ""},                                    // the tests' server is running
	{`--workers 8`, "--workers 1 --max-rate 100"},
	{`(qbench run )`, "${1}--orders 3000 "},
	{`(qbench capacity )`, "${1}--orders 100000 "}, // more than a second's
	{`--orders 3000 (.*)--orders ([0-9]+)`, "${1}--orders ${2}"},
	{`--orders 3000 (.*\./mine)`, "${1}"}, // which has no queue
	{`postgres://bench@db\.example/shop`, `"$$README_DSN"`},
}

// TestREADME runs every command of the README's blocks, in order, against the
// tests' server. What make runs is compared, not run: it is the demo and the
// tests themselves.
func TestREADME(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dsn := pgtest.DSN(t)
	dir := readmeFolder(t)
	env := append(os.Environ(), serverEnv(t, dsn)...)
	env = append(env, "PGDATABASE="+readmeDatabase(t, dsn), "README_DSN="+dsn, beQbench+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
	commands := 0
	for _, block := range regexp.MustCompile("(?ms)^```(sh|yaml)\n(.*?)^```").FindAllStringSubmatch(string(readme), -1) {
		for _, line := range strings.Split(block[2], "\n") {
			command := shellLine(block[1], line)
			if command == "" {
				continue
			}
			commands++
			if target, ok := strings.CutPrefix(command, "make "); ok {
				checkMake(t, target)
				continue
			}
			for _, s := range scaled {
				command = regexp.MustCompile(s.pattern).ReplaceAllString(command, s.with)
			}
			cmd := exec.Command("sh", "-ec", command)
			cmd.Dir, cmd.Env = dir, env
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s\nran as: %s\n%v\n%s", line, command, err, out)
			}
			t.Logf("%.1f s: %s", time.Since(start).Seconds(), command)
		}
	}
	if commands < 15 {
		t.Errorf("only %d commands were found", commands)
	}
}

// shellLine is the command in a line of a block; "" for one that is not
// qbench's or make's: steps of a workflow that set the machine up.
func shellLine(kind, line string) string {
	line = strings.TrimSpace(line)
	if kind == "yaml" {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "- "), "run: ")
		if !strings.Contains(line, "./qbench ") {
			return ""
		}
	}
	return line
}

// readmeFolder has what the README's commands expect around them.
func readmeFolder(t *testing.T) string {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := filepath.Abs("../../scenarios")
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"qbench": self, "scenarios": scenarios} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"mine.sql": "select 1;\n", "migration.sql": "create index on t_order_u (cts);\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readmeDatabase is a database of the test's own, since the README's commands
// name no schema.
func readmeDatabase(t *testing.T, dsn string) string {
	const name = "qbench_readme"
	if _, err := runSQL(dsn, "public", "create database "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := runSQL(dsn, "public", "drop database "+name); err != nil {
			t.Error(err)
		}
	})
	return name
}

func checkMake(t *testing.T, target string) {
	want := map[string]string{"demo": "go run . run --strategy skip-locked -c 256", "test": "go test ./..."}[target]
	if _, err := exec.LookPath("make"); err != nil {
		t.Logf("make is not installed: its target %s was not looked at", target)
		return
	}
	cmd := exec.Command("make", "-n", target)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil || want == "" || !strings.Contains(string(out), want+"\n") {
		t.Errorf("make %s runs %q (%v), want %q", target, out, err, want)
	}
}
