package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"qbench/internal/result"
)

// Benchfmt writes a line of Go's benchmark format per run, so that benchstat
// can compare two files: golang.org/design/14313-benchmark-format, with the
// unit metadata of golang.org/x/perf/benchfmt. The number of iterations is
// that of transactions.
//
// A run whose audit failed or is missing is left out, with a comment: benchstat
// has no place for a number that is invalid.
func Benchfmt(w io.Writer, f *result.File, _ Options) error {
	var b bytes.Buffer
	names := nameRuns(f.Runs)
	b.WriteString("Unit orders/s better=higher\nUnit tx/s better=higher\n")
	b.WriteString("Unit p50-ns better=lower\nUnit p99-ns better=lower\nUnit client-cpu-ns/order better=lower\n")
	for _, g := range groupWarnings(f.Runs, names) {
		fmt.Fprintf(&b, "# warning: %s\n", clean(g.text+g.which(len(f.Runs))))
	}
	var last string
	for _, r := range f.Runs {
		if env := benchmarkEnvironment(envOf(r, f)); env != last {
			b.WriteString(env)
			last = env
		}
		benchmark(&b, r, names)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// benchmarkEnvironment is the configuration lines that hold for what follows.
func benchmarkEnvironment(env *result.Environment) string {
	var b strings.Builder
	for _, c := range []struct{ key, value string }{
		{"server-version", env.ServerVersion}, {"qbench-version", env.QbenchVersion},
		{"host", env.HostOS}, {"cpu", env.HostCPU},
	} {
		fmt.Fprintf(&b, "%s: %s\n", c.key, clean(c.value))
	}
	return b.String()
}

func benchmark(b *bytes.Buffer, r *result.Run, names naming) {
	name := benchmarkName(r, names)
	if state := AuditOf(r); !state.Proved() {
		why := "it was not audited" + whyMissing(r)
		if state == AuditFailed {
			why = "its audit failed: " + strings.Join(problems(r.Audit), "; ")
		}
		fmt.Fprintf(b, "# %s repeat %d is left out: %s\n", name, r.Repeat, clean(why))
		return
	}
	if r.AbortedClients > 0 {
		fmt.Fprintf(b, "# %s repeat %d is incomplete: %s were aborted; first cause: %s\n", name, r.Repeat, Aborted(r), clean(firstCause(r)))
	}
	fmt.Fprintf(b, "%s %d", name, max(1, r.Transactions))
	value := func(x float64, unit string) { fmt.Fprintf(b, " %s %s", shortest(x), unit) }
	if r.CountsOrders {
		value(r.OrdersPerS, "orders/s")
	}
	value(r.TPS, "tx/s")
	if r.Transactions > r.Empty {
		// In nanoseconds, which benchstat scales to seconds by itself.
		value(r.Latency.P50*1e6, "p50-ns")
		value(r.Latency.P99*1e6, "p99-ns")
	}
	if r.Orders > 0 && r.Client.CPUSeconds > 0 {
		value(r.Client.CPUSeconds*1e9/float64(r.Orders), "client-cpu-ns/order")
	}
	b.WriteByte('\n')
}

// notInName are the parts of a configuration that name a benchmark only where
// they tell it from another of the file: benchstat matches the benchmarks of
// two files by their names.
var notInName = []string{"workload", "orders", "time", "transactions", "warmup", "seed", "server", "max-tries", "jobs", "priorities", "entrypoints"}

// benchmarkName puts what identifies a configuration into sub-benchmark keys,
// by which benchstat can group. The number of clients is last: a name that
// ends in "-N" would be taken for N processors.
func benchmarkName(r *result.Run, names naming) string {
	keys := []string{"BenchmarkQueue", "strategy=" + r.Strategy}
	if layout := r.LayoutName(); layout != "" {
		keys = append(keys, "layout="+layout)
	}
	c := r.Configuration
	c.Settings = ""
	own := assigned(c, func(name string) bool { return !slices.Contains(notInName, name) && !slices.Contains(shownApart, name) })
	for _, key := range names[r.Configuration] {
		if !slices.Contains(own, key) {
			own = append(own, key)
		}
	}
	keys = append(keys, own...)
	keys = append(keys, "mode="+r.Mode, fmt.Sprintf("clients=%d", r.Clients))
	for i, k := range keys {
		keys[i] = strings.Map(func(c rune) rune {
			if c == '/' || unicode.IsSpace(c) {
				return '_'
			}
			return c
		}, clean(k))
	}
	return strings.Join(keys, "/")
}
