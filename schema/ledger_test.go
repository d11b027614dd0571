package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The counts of runs add up in the mark, once for each run.
func TestLedger(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	m := f.make(f.options(Plain))
	if m.Ledger != nil {
		t.Fatalf("a new queue has a ledger: %+v", m.Ledger)
	}
	begin := func(id string) {
		t.Helper()
		if err := StartRun(t.Context(), f.conn, m, Running{ID: id, Since: time.Unix(1, 0).UTC(), PID: 1, Host: "h"}, 7, 3); err != nil {
			t.Fatal(err)
		}
	}
	finish := func(id string, c *ClientCounts) error { return FinishRun(t.Context(), f.conn, m, id, c) }
	begin("a")
	if got := f.inspect().Ledger; got.Running == nil || got.Running.ID != "a" || got.Before != 7 || got.EnqueuedBefore != 3 {
		t.Errorf("started: %+v", got)
	}
	if err := finish("b", &ClientCounts{}); !errors.Is(err, ErrReplaced) {
		t.Errorf("another run's counts: %v", err)
	}
	for range 2 { // an audit that is made again
		if err := finish("a", &ClientCounts{Acknowledged: 10, InDoubt: 2, Enqueued: 5, EnqueuedInDoubt: 1}); err != nil {
			t.Fatal(err)
		}
	}
	begin("b")
	if err := finish("b", &ClientCounts{Acknowledged: 20}); err != nil {
		t.Fatal(err)
	}
	want := &Ledger{Before: 7, EnqueuedBefore: 3, Acknowledged: 30, InDoubt: 2, Enqueued: 5, EnqueuedInDoubt: 1, Runs: 2, Last: "b"}
	if diff := cmp.Diff(want, f.inspect().Ledger); diff != "" {
		t.Error(diff)
	}
	begin("c")
	begin("d")
	if err := finish("d", nil); err != nil {
		t.Fatal(err)
	}
	if got := f.inspect().Ledger; got.Unfinished == nil || got.Unfinished.ID != "c" || got.Running != nil || !got.Uncounted {
		t.Errorf("one unfinished, one uncounted: %+v", got)
	}
	f.make(f.options(Plain))
	if err := finish("d", nil); !errors.Is(err, ErrReplaced) {
		t.Errorf("counts for a queue that was replaced: %v", err)
	}
}

// A mark of the format before the ledger is still read.
func TestOldMark(t *testing.T) {
	t.Parallel()
	made, err := parseMark("s", "q", markPrefix+`{"format":1,"workload":"orders","orders":5,"seeded":true}`)
	if err != nil || made.Orders != 5 || !made.Seeded || made.Ledger != nil {
		t.Errorf("%+v, %v", made, err)
	}
}

// What check makes of the counts in the mark.
func TestJudgeKept(t *testing.T) {
	t.Parallel()
	killed := &Running{ID: "x", Host: "h", PID: 5}
	queued := func(done int64) []auditCase {
		return []auditCase{{Seeded: 1, Queued: 1, Orders: 100 - done}, {Seeded: 1, Done: 1, Orders: done}}
	}
	for _, c := range []struct {
		name   string
		ledger *Ledger
		cases  []auditCase
		want   string // ok, or part of the reason or the problem
		failed bool
	}{
		{"no run", nil, queued(40), "ok", false},
		{"all there", &Ledger{Runs: 1, Acknowledged: 40}, queued(40), "ok", false},
		{"in doubt, done", &Ledger{Runs: 1, Acknowledged: 38, InDoubt: 2}, queued(40), "ok", false},
		{"in doubt, not done", &Ledger{Runs: 1, Acknowledged: 40, InDoubt: 2}, queued(40), "ok", false},
		{"done before the first run", &Ledger{Runs: 1, Before: 30, Acknowledged: 10}, queued(40), "ok", false},
		{"lost", &Ledger{Runs: 1, Acknowledged: 48}, queued(40), "48 orders acknowledged to the clients, but 40 recorded as done", true},
		{"done by others", &Ledger{Runs: 1, Acknowledged: 30, InDoubt: 2}, queued(40), "other clients worked on the queue", false},
		{"uncounted", &Ledger{Uncounted: true, Acknowledged: 30}, queued(40), "ok", false},
		{"killed", &Ledger{Running: killed}, queued(40), "process 5 on h", false},
		{"an earlier one killed", &Ledger{Runs: 1, Acknowledged: 10, Unfinished: killed}, queued(40), "process 5 on h", false},
		{"killed, and lost what earlier ones did", &Ledger{Runs: 1, Acknowledged: 50, Running: killed}, queued(40), "50 orders acknowledged", true},
		{"killed, uncounted", &Ledger{Uncounted: true, Running: killed}, queued(40), "process 5 on h", false},
	} {
		m := Made{Options: Options{Orders: 100}, Seeded: true, Ledger: c.ledger}
		a := m.judgeKept(c.cases)
		got := a.Reason + strings.Join(a.Problems, "; ")
		if a.OK != (c.want == "ok") || a.Failed() != c.failed || c.want != "ok" && !strings.Contains(got, c.want) {
			t.Errorf("%s: ok %v, made %v, %q", c.name, a.OK, a.Made(), got)
		}
		text, err := json.Marshal(a)
		if err != nil || strings.HasPrefix(string(text), `{"ok":null,`) == a.Made() {
			t.Errorf("%s: %s, %v", c.name, text, err)
		}
	}
}
