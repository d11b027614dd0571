package report

import (
	"strings"
	"testing"
	"time"

	"qbench/internal/result"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*result.Run, *result.Environment)
		want   []string // a part of each warning, in order; none is no warning
	}{
		{"nothing wrong", func(*result.Run, *result.Environment) {}, nil},
		{"generator takes a third from its own server", func(r *result.Run, _ *result.Environment) { r.Client.CPUShare = 0.34 }, []string{"the server on the same machine did not get"}},
		{"the same beside a remote server", func(r *result.Run, e *result.Environment) { r.Client.CPUShare, e.Disposable = 0.34, false }, nil},
		{"generator saturated", func(r *result.Run, e *result.Environment) { r.Client.CPUShare, e.Disposable = 0.8, false }, []string{"the load generator is the bottleneck: it used 80%"}},
		{"drained early", func(r *result.Run, _ *result.Environment) { r.Drained, r.DurationS = true, 9 }, []string{"drained after 9 s of 10 s"}},
		{"drained at the end", func(r *result.Run, _ *result.Environment) { r.Drained, r.DurationS = true, 9.9 }, nil},
		{"drained as asked for", func(r *result.Run, _ *result.Environment) { r.Drained, r.WantDurationS = true, 0 }, nil},
		{"starved", func(r *result.Run, _ *result.Environment) {
			r.Partition = &result.PartitionUse{Partitions: 256, Untouched: 248}
		}, []string{"248 of 256 partitions starved: none of their orders was taken, because 8 clients serve 256 partitions; use --partitions 8"}},
		{"starved in spite of many clients", func(r *result.Run, _ *result.Environment) {
			r.Partition = &result.PartitionUse{Partitions: 4, Untouched: 1}
		}, []string{"because the script did not choose them; use --partitions 4"}},
		{"not starved", func(r *result.Run, _ *result.Environment) { r.Partition = &result.PartitionUse{Partitions: 256} }, nil},
		{"unsafe settings", func(_ *result.Run, e *result.Environment) {
			e.Settings = map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
		}, []string{"fsync is off", "synchronous_commit is off", "full_page_writes is off"}},
		{"unsafe settings elsewhere", func(_ *result.Run, e *result.Environment) {
			e.Settings, e.Disposable = map[string]string{"fsync": "off"}, false
		}, []string{"to change it: change the server's configuration"}},
		{"unlogged", func(r *result.Run, _ *result.Environment) { r.Unlogged = true }, []string{"crash recovery empties them"}},
		{"unlogged layout", func(r *result.Run, _ *result.Environment) { r.Layout = "unlogged" }, []string{"crash recovery empties them"}},
		{"overflow", func(r *result.Run, _ *result.Environment) { r.LatencyHist.Record(11 * time.Minute) }, []string{"1 transaction took longer than the 10 minutes"}},
		{"aborted", func(r *result.Run, _ *result.Environment) {
			r.AbortedClients, r.Errors = 1, []string{"deadlock"}
		}, []string{"1 of 8 clients were aborted: the results are incomplete, and the other 7 had the server to themselves"}},
		{"all aborted", func(r *result.Run, _ *result.Environment) {
			r.AbortedClients, r.Errors = 8, []string{"disk full"}
		}, []string{"all 8 clients were aborted: the run ended early"}},
		{"aborted with producers", func(r *result.Run, _ *result.Environment) {
			r.AbortedClients, r.Producers = 9, &result.Producers{Clients: 4}
		}, []string{"9 of 12 clients were aborted: the results are incomplete, and the other 3 had"}},
		{"short", func(r *result.Run, _ *result.Environment) { r.DurationS, r.WantDurationS = 4.9, 4.9 }, []string{"the run took 4.9 s: too short"}},
		{"interrupted", func(r *result.Run, _ *result.Environment) { r.DurationS, r.Interrupted = 1, true }, nil},
		{"few samples", func(r *result.Run, _ *result.Environment) { r.Transactions = 9_999 }, []string{"beyond p99.9, because there were only 9,999 transactions"}},
		{"few samples among many empty", func(r *result.Run, _ *result.Environment) {
			r.CountsOrders, r.Transactions, r.Empty = true, 50_000, 49_000
		}, []string{"beyond p99.9, because there were only 1,000 transactions that moved an order"}},
		{"no samples", func(r *result.Run, _ *result.Environment) { r.Transactions = 0 }, nil},
		{"rate not reached", func(r *result.Run, _ *result.Environment) { r.Rate, r.TPS = 1000, 949 }, []string{"949 of 1,000 transactions/s"}},
		{"rate reached", func(r *result.Run, _ *result.Environment) { r.Rate, r.TPS = 1000, 951 }, nil},
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
