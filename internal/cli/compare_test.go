package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qbench/internal/result"
	"qbench/report"
)

// callCompare runs the command by itself.
func callCompare(args ...string) (status Status, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{stdout: &out, stderr: &errs}
	cmd := a.compareCommand()
	parsed, err := parseArguments(cmd, args)
	if err == nil {
		err = a.library(cmd).RunContext(context.Background(), commandLine(cmd.Name, parsed))
	}
	a.printError(err)
	return statusOf(err), out.String(), errs.String()
}

// writeRuns writes ten runs whose throughput is spread by 1% around the median.
func writeRuns(t *testing.T, path string, median float64, change func(*result.File)) string {
	t.Helper()
	f := &result.File{Format: result.Format, Environment: result.Environment{ServerVersion: "15.18", Settings: map[string]string{"fsync": "on"}}}
	for i := range 10 {
		r := &result.Run{
			Configuration: result.Configuration{Strategy: "skip-locked", Layout: "plain", Mode: "prepared", Clients: 8},
			Repeat:        i + 1, CountsOrders: true,
			DurationS: 10, Audit: &result.Audit{OK: true, Seeded: 1000},
		}
		r.OrdersPerS = math.Round(10*median*(1+0.001*float64((i*7)%10-5))) / 10
		r.TPS, r.Orders, r.Transactions = r.OrdersPerS, int64(10*r.OrdersPerS), int64(10*r.OrdersPerS)
		p50, p99 := 8e3/r.OrdersPerS, 30e3/r.OrdersPerS
		r.Latency = result.Latency{Mean: p50, P50: p50, P90: p99, P95: p99, P99: p99, P999: p99, Max: p99}
		f.Runs = append(f.Runs, r)
	}
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, f, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompareStatuses(t *testing.T) {
	t.Setenv(stepSummary, "")
	dir := t.TempDir()
	file := func(name string, median float64, change func(*result.File)) string {
		return writeRuns(t, filepath.Join(dir, name), median, change)
	}
	base := file("base.json", 5000, nil)
	same := file("same.json", 4990, nil)
	slower := file("slower.json", 4500, nil)
	few := file("few.json", 4500, func(f *result.File) { f.Runs = f.Runs[:2] })
	noisy := file("noisy.json", 5000, func(f *result.File) {
		for i, r := range f.Runs {
			r.OrdersPerS *= []float64{1.3, 0.7, 1.2, 0.8, 1.1}[i%5]
			r.Orders = int64(10 * r.OrdersPerS)
		}
	})
	lost := file("lost.json", 5000, func(f *result.File) {
		for _, r := range f.Runs[1:] {
			r.AbortedClients = 2
		}
	})
	oneLost := file("onelost.json", 4990, func(f *result.File) { f.Runs[3].AbortedClients = 2 })
	audit := file("audit.json", 5000, func(f *result.File) { f.Runs[1].Audit.OK = false })
	unsafe := file("unsafe.json", 5000, func(f *result.File) {
		for _, r := range f.Runs {
			r.Settings = result.Assign(map[string]string{"fsync": "off"})
		}
	})
	other := file("other.json", 5000, func(f *result.File) {
		for _, r := range f.Runs {
			r.Clients = 16
		}
	})
	truncated := filepath.Join(dir, "truncated.json")
	text, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(truncated, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "a [folder]")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		writeRuns(t, filepath.Join(folder, fmt.Sprintf("%d.json", i)), 5000, nil)
	}
	for _, c := range []struct {
		args           string
		status         Status
		stdout, stderr string // what they contain
	}{
		{base + "|" + same, StatusOK, "passed: same within 0.5% (1 comparison)\n", ""},
		{base + "|" + slower, StatusFailed, "FAILED: slower in 1 of 1 comparison\n", ""},
		{slower + "|" + base, StatusOK, "passed: faster (1 comparison)\n", ""},
		{base + "|" + slower + "|--max-slowdown=20%", StatusOK, "passed: same within 11% (1 comparison)\n", ""},
		{base + "|--max-slowdown|20|" + slower, StatusOK, "passed: same within 11%", ""},
		{base + "|" + few, StatusUsage, "refused: too few runs to ever find a slowdown", ""},
		{base + "|" + few + "|--undecided=pass", StatusUsage, "(--repeat", ""},
		{base + "|" + few + "|--false-alarms=2%", StatusFailed, "FAILED: slower in 1 of 1", ""},
		{base + "|" + noisy, StatusFailed, "FAILED: inconclusive in 1 of 1 comparison", ""},
		{base + "|" + noisy + "|--undecided=pass", StatusOK, "passed because of --undecided pass: inconclusive (1 comparison)", ""},
		{base + "|" + noisy + "|--max-slowdown=orders_per_s=60%", StatusOK, "passed: same within", ""},
		{base + "|" + lost, StatusIncomplete, ": 9 of 10 runs were", ""},
		{base + "|" + oneLost, StatusIncomplete, "FAILED: same within 0.4% (1 comparison), runs are missing", ""},
		{base + "|" + slower + "|--metric=p99,p50", StatusFailed, "FAILED: slower in 2 of 2 comparisons", ""},
		{base + "|" + audit, StatusAudit, "invalid: ", ""},
		{base + "|" + unsafe, StatusUsage, "refused: skip-locked, plain, prepared, 8 clients: the configurations", ""},
		{base + "|" + unsafe + "|--across=fsync", StatusOK, "8 clients; fsync none against off\n", ""},
		{base + "|" + other, StatusUsage, "client 8 against 16", ""},
		{base + "|" + other + "|--across=pool|--across=index,client", StatusOK, "8 clients; client 8 against 16\n", ""},
		{base + "|" + other + "|--across=clint", StatusUsage, `"client"?`, ""},
		{folder + "|" + same, StatusOK, " 20+10 ", ""},
		{base + "|" + same + "|--format=markdown", StatusOK, "### qbench compare passed", ""},
		{base + "|" + same + "|--format=json", StatusOK, `"failed": false`, ""},
		{base + "|" + slower + "|--format=junit", StatusFailed, `failures="1"`, ""},
		{base + "|" + same + "|--format=html", StatusUsage, "", `--format: unknown report format "html" (one of text, markdown, json, junit)`},
		{base + "|" + same + "|--metric=p98", StatusUsage, "", `--metric: unknown metric "p98"`},
		{base + "|" + same + "|--max-slowdown=much", StatusUsage, "", `--max-slowdown "much": not a percentage`},
		{base + "|" + same + "|--max-slowdown=5%,p98=9%", StatusUsage, "", `--max-slowdown: unknown metric "p98"`},
		{base + "|" + same + "|--undecided=maybe", StatusUsage, "", `--undecided "maybe": use auto, fail or pass`},
		{base + "|" + same + "|--max-slowdown=100%", StatusUsage, "", "use a number from 0 to below 100"},
		{base + "|" + same + "|--false-alarms=0", StatusUsage, "", "use a number from 0.001 to below 50"},
		{base, StatusUsage, "", "compare needs two files or folders, BASE and NEW; got 1"},
		{base + "|" + filepath.Join(dir, "absent.json"), StatusUsage, "", "there is no result file " + dir},
		{base + "|" + empty, StatusUsage, "", "holds no result files"},
		{base + "|" + truncated, StatusUsage, "", truncated + ": read result file: it is truncated"},
	} {
		status, stdout, stderr := callCompare(strings.Split(c.args, "|")...)
		if status != c.status || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || (stderr == "") != (c.stderr == "") {
			t.Errorf("%s: status %d, want %d\n--- stdout, want %q\n%s--- stderr, want %q\n%s", c.args, status, c.status, c.stdout, stdout, c.stderr, stderr)
		}
	}
}

// Two gates in one workflow both stand on its page.
func TestCompareStepSummary(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "summary.md")
	t.Setenv(stepSummary, page)
	base, slower := writeRuns(t, filepath.Join(dir, "base.json"), 5000, nil), writeRuns(t, filepath.Join(dir, "slower.json"), 4000, nil)
	for _, args := range [][]string{{base, base}, {base, slower}} {
		if _, stdout, stderr := callCompare(args...); strings.Contains(stdout, "###") || stderr != "" {
			t.Errorf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "### qbench compare passed") || !strings.Contains(string(text), "### qbench compare FAILED") {
		t.Errorf("%s", text)
	}
	t.Setenv(stepSummary, filepath.Join(dir, "absent", "summary.md"))
	if status, _, stderr := callCompare(base, base); status != StatusUsage || !strings.Contains(stderr, "$"+stepSummary) {
		t.Errorf("status %d: %s", status, stderr)
	}
}
