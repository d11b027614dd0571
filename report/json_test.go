package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"qbench/internal/result"

	"github.com/google/go-cmp/cmp"
)

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	for name, f := range cases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := render(t, JSON, f, Options{})
			back, err := result.Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if again := render(t, JSON, back, Options{}); again != text {
				t.Errorf("written, read and written again, it differs: %s", cmp.Diff(text, again))
			}
			for i, r := range back.Runs {
				if r.LatencyHist == nil {
					t.Fatal("the histogram is gone")
				}
				if got, want := r.LatencyHist.Latency(), f.Runs[i].LatencyHist.Latency(); got != want {
					t.Errorf("percentiles of the decoded histogram: %+v, want %+v", got, want)
				}
			}
		})
	}
}

// The names that DESIGN promises to readers.
func TestJSONNames(t *testing.T) {
	t.Parallel()
	var out struct {
		Format      string           `json:"format"`
		Runs        []map[string]any `json:"runs"`
		Environment map[string]any   `json:"environment"`
	}
	if err := json.Unmarshal([]byte(render(t, JSON, cases()["everything"], Options{})), &out); err != nil {
		t.Fatal(err)
	}
	if out.Format != "qbench/2" {
		t.Errorf("format %q", out.Format)
	}
	run := out.Runs[0]
	for _, path := range []string{
		"strategy", "layout", "mode", "clients", "repeat", "duration_s", "transactions", "tps", "orders", "orders_per_s",
		"empty", "failed", "retries", "skipped", "drained", "interrupted", "initial_connection_ms", "warnings",
		"latency_ms mean", "latency_ms stddev", "latency_ms p50", "latency_ms p99_9", "latency_ms max",
		"audit ok", "audit seeded", "audit enqueued", "audit remaining", "audit processed", "audit acknowledged", "audit in_doubt", "audit lost", "audit duplicated",
		"client cpu_s", "client max_rss_bytes", "intervals 0 at_s", "intervals 0 p99_ms", "intervals 0 depth",
		"statements 0 text", "statements 0 mean_ms", "statements 0 failures", "statements 0 retries",
	} {
		var at any = run
		for _, key := range strings.Fields(path) {
			if list, ok := at.([]any); ok {
				at = list[0]
				continue
			}
			at = at.(map[string]any)[key]
		}
		if at == nil {
			t.Errorf("no %q", path)
		}
	}
	if got := run["failed"]; got != 10.0 {
		t.Errorf("failed = %v, want 10", got)
	}
	for _, name := range []string{"server_version", "settings", "host_cores", "qbench_version", "started_at"} {
		if out.Environment[name] == nil {
			t.Errorf("no environment %q", name)
		}
	}
}

// Whatever a file holds, it is refused or every format can show it.
func FuzzReadJSON(f *testing.F) {
	for _, file := range cases() {
		for _, r := range file.Runs {
			// The fuzzer is fast on small inputs only.
			r.Intervals = r.Intervals[:min(1, len(r.Intervals))]
		}
		file.Runs = file.Runs[:min(1, len(file.Runs))]
		var b bytes.Buffer
		if err := JSON(&b, file, Options{}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()*2/3])
	}
	f.Add([]byte(`{"format":"qbench/2","runs":[{}]}`))
	f.Add([]byte(`{"format":"qbench/2","runs":[{"clients":-1,"transactions":-5,"empty":-7,"duration_s":-1e308,"tps":1e308,"scripts":[{},{}],"intervals":[{},{}]},{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := result.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range file.Runs {
			Warnings(file.Runs[i], file.Environment)
		}
		for _, name := range OfRuns.Formats() {
			format, err := OfRuns.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := format(io.Discard, file, Options{Charts: true}); err != nil {
				t.Logf("%s: %v", name, err)
			}
		}
	})
}
