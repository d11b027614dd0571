package report

import (
	"strings"
	"testing"
	"time"

	"qbench/runner"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*runner.Result, *runner.Environment)
		want   []string // a part of each warning, in order; none is no warning
	}{
		{"nothing wrong", func(*runner.Result, *runner.Environment) {}, nil},
		{"generator takes a third from its own server", func(r *runner.Result, _ *runner.Environment) { r.Client.CPUShare = 0.34 }, []string{"the server on the same machine did not get"}},
		{"the same beside a remote server", func(r *runner.Result, e *runner.Environment) { r.Client.CPUShare, e.Disposable = 0.34, false }, nil},
		{"generator saturated", func(r *runner.Result, e *runner.Environment) { r.Client.CPUShare, e.Disposable = 0.8, false }, []string{"the load generator is the bottleneck: it used 80 %"}},
		{"drained early", func(r *runner.Result, _ *runner.Environment) { r.Drained, r.DurationS = true, 9 }, []string{"drained after 9 s of 10 s"}},
		{"drained at the end", func(r *runner.Result, _ *runner.Environment) { r.Drained, r.DurationS = true, 9.9 }, nil},
		{"drained as asked for", func(r *runner.Result, _ *runner.Environment) { r.Drained, r.WantDurationS = true, 0 }, nil},
		{"starved", func(r *runner.Result, _ *runner.Environment) {
			r.Partition = &runner.PartitionUse{Partitions: 256, Untouched: 248}
		}, []string{"248 of 256 partitions starved: none of their orders was taken, because 8 clients serve 256 partitions; use --partitions 8"}},
		{"starved in spite of many clients", func(r *runner.Result, _ *runner.Environment) {
			r.Partition = &runner.PartitionUse{Partitions: 4, Untouched: 1}
		}, []string{"because the script did not choose them; use --partitions 4"}},
		{"not starved", func(r *runner.Result, _ *runner.Environment) { r.Partition = &runner.PartitionUse{Partitions: 256} }, nil},
		{"unsafe settings", func(_ *runner.Result, e *runner.Environment) {
			e.Settings = map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
		}, []string{"fsync is off", "synchronous_commit is off", "full_page_writes is off"}},
		{"unsafe settings elsewhere", func(_ *runner.Result, e *runner.Environment) {
			e.Settings, e.Disposable = map[string]string{"fsync": "off"}, false
		}, []string{"to change it: change the server's configuration"}},
		{"unlogged", func(r *runner.Result, _ *runner.Environment) { r.Unlogged = true }, []string{"crash recovery empties them"}},
		{"unlogged layout", func(r *runner.Result, _ *runner.Environment) { r.Layout = "unlogged" }, []string{"crash recovery empties them"}},
		{"overflow", func(r *runner.Result, _ *runner.Environment) { r.LatencyHist.Record(11 * time.Minute) }, []string{"1 transaction took longer than the 10 minutes"}},
		{"aborted", func(r *runner.Result, _ *runner.Environment) {
			r.AbortedClients, r.Errors = 1, []string{"deadlock"}
		}, []string{"1 of 8 clients were aborted: the results are incomplete, and the other 7 had the server to themselves"}},
		{"all aborted", func(r *runner.Result, _ *runner.Environment) {
			r.AbortedClients, r.Errors = 8, []string{"disk full"}
		}, []string{"all 8 clients were aborted: the run ended early"}},
		{"aborted with producers", func(r *runner.Result, _ *runner.Environment) {
			r.AbortedClients, r.Producers = 9, &runner.GroupResult{Clients: 4}
		}, []string{"9 of 12 clients were aborted: the results are incomplete, and the other 3 had"}},
		{"short", func(r *runner.Result, _ *runner.Environment) { r.DurationS, r.WantDurationS = 4.9, 4.9 }, []string{"the run took 4.9 s: too short"}},
		{"interrupted", func(r *runner.Result, _ *runner.Environment) { r.DurationS, r.Interrupted = 1, true }, nil},
		{"few samples", func(r *runner.Result, _ *runner.Environment) { r.Transactions = 9_999 }, []string{"beyond p99.9, because there were only 9,999 transactions"}},
		{"no samples", func(r *runner.Result, _ *runner.Environment) { r.Transactions = 0 }, nil},
		{"rate not reached", func(r *runner.Result, _ *runner.Environment) { r.Rate, r.TPS = 1000, 949 }, []string{"949.0 of 1,000 transactions/s"}},
		{"rate reached", func(r *runner.Result, _ *runner.Environment) { r.Rate, r.TPS = 1000, 951 }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, e := newRun("skip-locked", 8, 10, 1, 10_000, 0), testEnvironment
			c.change(r, &e)
			got := Warnings(r, e)
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for i, part := range c.want {
				if !strings.Contains(got[i], part) {
					t.Errorf("%q is not in %q", part, got[i])
				}
			}
		})
	}
}
