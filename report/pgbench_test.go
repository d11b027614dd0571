package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qbench/internal/result"
)

// testdata/pgbench15 holds what pgbench 15.18 itself printed, without its
// banner. Each report is read back into a result; rendering that must give
// pgbench's bytes again.
func TestPgbenchItself(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/pgbench15/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded reports: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r := parsePgbench15(t, string(want))
			got := render(t, Pgbench, &result.File{Runs: []*result.Run{r}}, Options{Compat: 15})
			if got != string(want) {
				t.Error(cmp.Diff(string(want), got))
			}
		})
	}
}

var statementLine = regexp.MustCompile(`^ +([0-9.]+) +(\d+)(?: +(\d+))?  (.*)$`)

// parsePgbench15 takes the numbers out of a report, and only those: every word
// and every place has to come from the renderer.
func parsePgbench15(t *testing.T, text string) *result.Run {
	t.Helper()
	r := &result.Run{}
	stats, script := &r.Stats, (*result.Script)(nil)
	latency := &r.AllLatency
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune(" /(%", c) })[0], 64)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return x
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "SQL script "); ok {
			_, name, _ = strings.Cut(name, ": ")
			r.Scripts = append(r.Scripts, result.Script{Name: name})
			script = &r.Scripts[len(r.Scripts)-1]
			stats, latency = &script.Stats, &script.Latency
			continue
		}
		if m := statementLine.FindStringSubmatch(line); m != nil {
			st := result.Statement{Text: m[4], MeanMS: number(m[1]), Failures: int64(number(m[2]))}
			if r.MaxTries != 1 {
				st.Retries = int64(number(m[3]))
			}
			script.Statements = append(script.Statements, st)
			continue
		}
		line = strings.TrimPrefix(line, " - ")
		key, value, found := strings.Cut(line, ": ")
		if !found {
			key, value, found = strings.Cut(line, " = ")
		}
		switch {
		case strings.HasPrefix(key, "statement latencies"):
			r.PerStatement = true
		case !found && strings.Contains(key, "of total, tps"):
			t.Fatalf("unexpected line %q", line)
		case strings.Contains(key, "transactions (") && strings.HasSuffix(key, "tps"):
			stats.Transactions = int64(number(key))
		case key == "transaction type":
			if value != "multiple scripts" {
				r.Scripts = []result.Script{{Name: value, Weight: 1}}
				script = &r.Scripts[0]
			}
		case key == "scaling factor":
			r.ScaleFactor = int(number(value))
		case key == "partition method":
			r.PgbenchPartitionMethod = value
		case key == "partitions":
			r.PgbenchPartitions = int(number(value))
		case key == "query mode":
			r.Mode = value
		case key == "number of clients":
			r.Clients = int(number(value))
		case key == "number of threads":
			r.Threads = int(number(value))
		case key == "maximum number of tries":
			r.MaxTries = int(number(value))
		case key == "number of transactions per client":
			r.WantTransactions = int64(number(value))
		case key == "duration":
			r.WantDurationS = number(value)
		case key == "weight":
			script.Weight = int(number(value))
		case key == "number of transactions actually processed":
			stats.Transactions = int64(number(value))
		case key == "number of failed transactions":
			stats.Failures.Other = int64(number(value))
		case key == "number of serialization failures":
			r.FailuresDetailed = true
			stats.Failures.Serialization = int64(number(value))
			stats.Failures.Other -= stats.Failures.Serialization
		case key == "number of deadlock failures":
			stats.Failures.Deadlock = int64(number(value))
			stats.Failures.Other -= stats.Failures.Deadlock
		case key == "number of transactions retried":
			stats.Retried = int64(number(value))
		case key == "total number of retries":
			stats.Retries = int64(number(value))
		case key == "number of transactions skipped":
			stats.Skipped, r.Rate = int64(number(value)), 1
		case strings.HasPrefix(key, "number of transactions above the "):
			stats.Late, r.LatencyLimitMS = int64(number(value)), number(strings.TrimPrefix(key, "number of transactions above the "))
		case key == "latency average":
			latency.Mean = number(value)
		case key == "latency stddev":
			latency.StdDev = number(value)
			// Only a measured latency has one.
			r.ShowProgress = r.ShowProgress || stats == &r.Stats
		case key == "rate limit schedule lag":
			r.Lag = &result.Latency{
				Mean: number(strings.TrimPrefix(value, "avg ")),
				Max:  number(strings.TrimSuffix(value[strings.Index(value, "max ")+4:], ") ms")),
			}
		case key == "average connection time":
			r.Reconnect, r.AverageConnMS = true, number(value)
		case key == "initial connection time":
			r.InitialConnMS = number(value)
		case key == "tps":
			r.TPS = number(value)
			if r.TPS > 0 {
				r.DurationS = float64(r.Transactions) / r.TPS
			}
		default:
			t.Fatalf("line not understood: %q", line)
		}
	}
	return r
}
