package pgbench

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"qbench/internal/pgserver/pgtest"
	"qbench/internal/result"
	"qbench/runner"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

// writeLog passes transactions through the log that the options ask for.
func writeLog(t *testing.T, txs []runner.TxOutcome, args ...string) string {
	t.Helper()
	o := read(t, append([]string{"-l"}, args...)...)
	var b buffer
	l := &TxLog{rate: o.rate > 0, retries: o.maxTries != 1}
	l.add(&b)
	if o.aggregateInterval > 0 {
		l.aggregate(o)
	}
	l.start(epoch)
	for _, tx := range txs {
		l.LogTx(0, tx)
	}
	// Not Close: it would add the time that has passed since epoch.
	if err := l.threads[0].w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// epoch is some moment, not on a whole second.
var epoch = time.Unix(1_700_000_000, 700_000_000)

// outcomes has one transaction of every kind, some in later seconds.
func outcomes() []runner.TxOutcome {
	var txs []runner.TxOutcome
	for i, c := range []struct {
		status  string
		retries int
		after   time.Duration
	}{
		{"", 0, 1 * time.Millisecond}, {"", 2, 250 * time.Millisecond}, {"skipped", 0, 299 * time.Millisecond}, {"", 0, 300 * time.Millisecond},
		{"serialization", 1, 400 * time.Millisecond}, {"deadlock", 0, 500 * time.Millisecond}, {"other", 0, 3300 * time.Millisecond}, {"", 0, 3400 * time.Millisecond},
	} {
		txs = append(txs, runner.TxOutcome{
			Client: i % 3, Script: i % 2, Serial: int64(i + 1), End: epoch.Add(c.after), Retries: c.retries, Status: c.status,
			Latency: time.Duration(i+1) * 1_234_567, Lag: time.Duration(i) * 12_345,
		})
	}
	return append(txs, runner.TxOutcome{Serial: 9, End: epoch.Add(5 * time.Second)})
}

func TestLogFormats(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"plain":                {},
		"rate":                 {"-R", "5"},
		"retries":              {"--max-tries", "3"},
		"rate-retries":         {"-R", "5", "--max-tries", "3"},
		"aggregate":            {"--aggregate-interval", "1"},
		"aggregate-everything": {"--aggregate-interval", "1", "-R", "5", "-L", "9", "--max-tries", "3", "--failures-detailed", "--continue-on-error"},
		"aggregate-2s":         {"--aggregate-interval", "2", "-R", "5", "--compat", "19"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "log-"+name+".txt", writeLog(t, outcomes(), args...))
		})
	}
}

// Every transaction is in exactly one interval, the intervals follow each
// other without a gap, and their sums are those of the transactions.
func TestAggregatesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		interval := rapid.IntRange(1, 3).Draw(rt, "interval")
		var txs []runner.TxOutcome
		now := epoch
		var count, sum, sum2, skipped int64
		low, up := math.Inf(1), 0.0
		for range rapid.IntRange(1, 40).Draw(rt, "transactions") {
			now = now.Add(time.Duration(rapid.Int64Range(0, 3e9).Draw(rt, "pause")))
			tx := runner.TxOutcome{End: now, Latency: time.Duration(rapid.Int64Range(0, 1e9).Draw(rt, "latency"))}
			if rapid.Bool().Draw(rt, "skipped") {
				tx.Status = "skipped"
				skipped++
			} else {
				us := tx.Latency.Microseconds()
				count, sum, sum2 = count+1, sum+us, sum2+us*us
				low, up = min(low, float64(us)), max(up, float64(us))
			}
			txs = append(txs, tx)
		}
		// One more, whose own interval is never printed.
		txs = append(txs, runner.TxOutcome{End: now.Add(time.Duration(interval) * time.Second)})
		text := writeLog(t, txs, "--aggregate-interval", fmt.Sprint(interval), "-L", "1")
		var gotCount, gotSum, gotSum2, gotSkipped int64
		gotLow, gotUp := math.Inf(1), 0.0
		next := epoch.Unix()
		for line := range strings.Lines(text) {
			var start, n, s, s2, sk, zero int64
			var lo, hi float64
			if _, err := fmt.Sscan(line, &start, &n, &s, &s2, &lo, &hi, &zero, &zero, &zero, &zero, &sk); err != nil {
				rt.Fatalf("%q: %v", line, err)
			}
			if start != next || len(strings.Fields(line)) != 15 {
				rt.Fatalf("%q should start at %d and have 15 fields", line, next)
			}
			next += int64(interval)
			gotCount, gotSum, gotSum2, gotSkipped = gotCount+n, gotSum+s, gotSum2+s2, gotSkipped+sk
			if n > 0 {
				gotLow, gotUp = min(gotLow, lo), max(gotUp, hi)
			}
		}
		// Sums of squares are doubles, as in pgbench.
		if gotCount != count || gotSum != sum || gotSkipped != skipped || math.Abs(float64(gotSum2-sum2)) > 1e-9*float64(sum2)+1 ||
			gotLow != low || gotUp != up {
			rt.Fatalf("%d %d %d %d %g %g are %d %d %d %d %g %g in\n%s", count, sum, sum2, skipped, low, up, gotCount, gotSum, gotSum2, gotSkipped, gotLow, gotUp, text)
		}
	})
}

func TestProgressLines(t *testing.T) {
	t.Parallel()
	tick := result.Tick{TPS: 1234.56, MeanMS: 1.2345, StdDevMS: 0.5, Failed: 1, LagMS: 0.25, Skipped: 2, Retried: 3, Retries: 4}
	start := epoch.Add(-2 * time.Second)
	for want, args := range map[string][]string{
		"progress: 2.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed\n":                                                {"-P", "1"},
		"progress: 1700000000.700 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed\n":                                     {"-P", "1", "--progress-timestamp"},
		"progress: 2.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed, lag 0.250 ms\n":                                  {"-P", "1", "-R", "5"},
		"progress: 2.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed, lag 0.250 ms, 2 skipped, 3 retried, 4 retries\n": {"-P", "1", "-R", "5", "-L", "9", "--max-tries", "2"},
		"progress: 2.0 s, 1234.6 tps, lat 1.234 ms stddev 0.500, 1 failed, 3 retried, 4 retries\n":                          {"-P", "1", "--max-tries", "2"},
	} {
		if got := read(t, args...).newProgress(start).line(tick, epoch); got != want {
			t.Errorf("%q gives %q, want %q", args, got, want)
		}
	}
}

var (
	logLine = regexp.MustCompile(`^[0-3] [1-5] \d+ 0 \d{10} \d{1,6} \d+ 0$`)
	logName = regexp.MustCompile(`^p\.\d+(\.1)?$`)
)

func TestLogFilesOfARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := ours(t.Context(), "-n", "-l", "--log-prefix", filepath.Join(dir, "p"), "-c", "4", "-j", "2", "-t", "5", "-R", "100000", "--max-tries", "2",
		"-f", writeScript(t, "SELECT 1;"), pgtest.DSN(t))
	if got.Status != 0 {
		t.Fatalf("%+v", got)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("%d files (%v), want one per thread", len(files), err)
	}
	lines := 0
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || !logName.MatchString(f.Name()) {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		for line := range strings.Lines(string(text)) {
			lines++
			if !logLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("%s has the line %q", f.Name(), line)
			}
		}
	}
	if lines != 20 {
		t.Errorf("%d lines, want 20", lines)
	}
}

func TestLogThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	got := ours(t.Context(), "-n", "-l", "--log-prefix", "/nosuch/p", "-f", writeScript(t, "SELECT 1;"), pgtest.DSN(t))
	want := regexp.MustCompile(`^pgbench: error: could not open logfile "/nosuch/p\.\d+": No such file or directory\n$`)
	if got.Status != 1 || !want.MatchString(got.Stderr) {
		t.Errorf("status %d: %s", got.Status, got.Stderr)
	}
}
