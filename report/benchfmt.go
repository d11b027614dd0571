package report

import (
	"bytes"
	"fmt"
	"io"
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
	env := &f.Environment
	for _, c := range []struct{ key, value string }{
		{"server-version", env.ServerVersion}, {"qbench-version", env.QbenchVersion},
		{"host", env.HostOS}, {"cpu", env.HostCPU},
	} {
		if c.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", c.key, clean(c.value))
		}
	}
	b.WriteString("Unit orders/s better=higher\nUnit tx/s better=higher\n")
	b.WriteString("Unit p50-ns better=lower\nUnit p99-ns better=lower\nUnit client-cpu-ns/order better=lower\n")
	for _, r := range f.Runs {
		name := benchmarkName(r)
		if state := AuditOf(r); !state.Proved() {
			why := "its audit failed"
			if state == AuditMissing {
				why = "it was not audited" + whyMissing(r)
			}
			fmt.Fprintf(&b, "# %s repeat %d is left out: %s\n", name, r.Repeat, why)
			continue
		}
		if r.AbortedClients > 0 {
			fmt.Fprintf(&b, "# %s repeat %d is incomplete: %s were aborted; first cause: %s\n", name, r.Repeat, Aborted(r), clean(firstCause(r)))
		}
		fmt.Fprintf(&b, "%s %d", name, max(1, r.Transactions))
		value := func(x float64, unit string) { fmt.Fprintf(&b, " %s %s", decimal(x), unit) }
		if r.CountsOrders {
			value(r.OrdersPerS, "orders/s")
		}
		value(r.TPS, "tx/s")
		if r.Transactions > 0 {
			// In nanoseconds, which benchstat scales to seconds by itself.
			value(r.Latency.P50*1e6, "p50-ns")
			value(r.Latency.P99*1e6, "p99-ns")
		}
		if r.Orders > 0 && r.Client.CPUSeconds > 0 {
			value(r.Client.CPUSeconds*1e9/float64(r.Orders), "client-cpu-ns/order")
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// benchmarkName puts what identifies a configuration into sub-benchmark keys,
// by which benchstat can group. The number of clients is last: a name that
// ends in "-N" would be taken for N processors.
func benchmarkName(r *result.Run) string {
	keys := []string{"BenchmarkQueue", "strategy=" + r.Strategy}
	if r.Layout != "" {
		keys = append(keys, "layout="+layoutName(r))
	}
	keys = append(keys, pairs(parameters(r))...)
	keys = append(keys, "mode="+string(r.Mode), fmt.Sprintf("clients=%d", r.Clients))
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
