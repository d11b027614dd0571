package runner_test

import (
	"fmt"
	"slices"
	"testing"

	"qbench/runner"
)

// boundaryScripts are transactions whose every message boundary is tried. Modes are all where not given.
var boundaryScripts = []struct {
	name   string
	source string
	modes  []runner.Mode
	// transactions is 1 where not given; the second one uses statements that are prepared already.
	transactions int64
	// loose names modes in which one limit speaks of several statements. A bound for what they did need not be the least one.
	loose []runner.Mode
}{
	{name: "block", source: `begin;
select 7 as vid \gset
with d as (delete limit 3) insert into u select :vid;
end;
`, transactions: 2},
	{name: "autocommit", source: "insert into u limit 2;\n", transactions: 2},
	{name: "autocommit function", source: "select done(4);\n"},
	{name: "two autocommits", source: "insert into u limit 2;\nupdate t limit 1;\n"},
	{name: "two statements of a block", source: "begin;\ninsert into u limit 2;\nupdate t limit 3;\ncommit;\n"},
	{name: "conditional", source: `\set vid 0
begin;
select 7 as vid \aset
\if :vid > 0
insert into u limit 1;
\endif
end;
`},
	{name: "rollback", source: "begin;\ninsert into u limit 2;\nrollback;\n"},
	{name: "rollback to savepoint", source: "begin;\nsavepoint a;\ninsert into u limit 1;\nsavepoint b;\ninsert into u limit 2;\nrollback to b;\nend;\n"},
	{name: "rollback to the outer savepoint", source: "begin;\ninsert into u limit 4;\nsavepoint a;\ninsert into u limit 1;\nsavepoint b;\ninsert into u limit 2;\nrollback work to savepoint a;\nend;\n"},
	{name: "release", source: "begin;\nsavepoint a;\ninsert into u limit 1;\nrelease savepoint a;\ninsert into u limit 2;\nend;\n"},
	{name: "one name twice", source: "begin;\nsavepoint a;\ninsert into u limit 1;\nsavepoint a;\ninsert into u limit 2;\nrollback to a;\nrelease a;\nrollback to savepoint a;\ninsert into u limit 8;\nend;\n"},
	{name: "commit and chain", source: "begin;\ninsert into u limit 2;\ncommit and chain;\ninsert into u limit 3;\nrollback;\n"},
	{name: "rollback and chain", source: "begin;\ninsert into u limit 2;\nrollback and chain;\ninsert into u limit 3;\ncommit;\n"},
	{name: "commit twice", source: "begin;\ninsert into u limit 2;\ncommit;\nbegin;\ninsert into u limit 3;\ncommit;\n"},
	{name: "a failed commit", source: "begin;\ninsert into u limit 2;\ncommit /* fail(40001) */;\n"},
	{name: "a retried statement", source: "begin;\ninsert into u limit 2;\nselect fail_once(40001);\nend;\n"},
	{name: "an error in a block", source: "begin;\ninsert into u limit 2;\nselect fail(22012);\nend;\n"},
	{name: "comments", source: "begin /* begin: x */;\n/* end: */ insert /* /* nested */ */ into u limit 2;\nend /* rollback */;\n/* begin: x */ update t limit 1;\n"},
	{name: "start and end", source: "start transaction;\ninsert into u limit 2;\nend transaction;\nbegin work;\ninsert into u limit 1;\nabort;\n"},
	{name: "one message", source: "begin\\; insert into u limit 2\\; commit;\n", modes: []runner.Mode{runner.Simple}},
	{name: "one message without a block", source: "insert into u limit 2\\; insert into u limit 1;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message, a COMMIT within", source: "begin\\; insert into u limit 2\\; commit\\; select 1;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message, an error after COMMIT", source: "begin\\; insert into u limit 2\\; commit\\; select fail(22012);\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message, two blocks", source: "begin\\; insert into u limit 2\\; commit\\; begin\\; insert into u limit 4\\; rollback\\; insert into u limit 1;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message, SELECTs too", source: "select take(1) limit 5\\; begin\\; insert into u limit 2\\; select take(2) limit 7\\; commit;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message, only SELECTs", source: "select take(1) limit 5\\; select take(2) limit 7;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "one message within a block", source: "begin;\nselect take(1) limit 5\\; insert into u limit 2;\nend;\n", modes: []runner.Mode{runner.Simple}},
	{name: "one message, a savepoint", source: "begin\\; insert into u limit 1\\; savepoint a\\; insert into u limit 2\\; rollback to a\\; commit;\n", modes: []runner.Mode{runner.Simple}, loose: []runner.Mode{runner.Simple}},
	{name: "pipeline", source: "\\startpipeline\nbegin;\ninsert into u limit 2;\ncommit;\n\\endpipeline\n", modes: pipelining, transactions: 2},
	{name: "pipeline without a block", source: "\\startpipeline\ninsert into u limit 2;\ninsert into u limit 3;\n\\endpipeline\n", modes: pipelining},
	{name: "pipeline with an error after COMMIT", source: "\\startpipeline\nbegin;\ninsert into u limit 2;\ncommit;\ninsert into u limit 1;\nselect fail(22012);\n\\endpipeline\n", modes: pipelining},
	{name: "pipeline with an error", source: "\\startpipeline\ninsert into u limit 2;\nselect fail(22012);\ninsert into u limit 2;\n\\endpipeline\n", modes: pipelining},
	{name: "pipeline in a block", source: "begin;\n\\startpipeline\ninsert into u limit 2;\ninsert into u limit 3;\n\\endpipeline\ncommit;\n", modes: pipelining},
	{name: "pipeline, COMMIT without a block", source: "\\startpipeline\ninsert into u limit 2;\ncommit;\ninsert into u limit 3;\nrollback;\n\\endpipeline\n", modes: pipelining},
	{name: "pipeline, BEGIN after a statement", source: "\\startpipeline\ninsert into u limit 2;\nbegin;\ninsert into u limit 3;\nrollback;\n\\endpipeline\n", modes: pipelining},
}

var pipelining = []runner.Mode{runner.Extended, runner.Prepared}

// endings are the faults that are tried at each boundary. Whether the server did what it could not say any more makes no
// difference to the client, so that checkSession judges both from one run.
var endings = []fault{{ending: closed}, {ending: torn}, {ending: fatal}, {ending: reset}, {eager: true}, {ending: fatal, eager: true}}

// TestEveryBoundary ends the connection at every message boundary of every script in every mode, in several ways, and compares
// what the result says with what the server did and could have done.
func TestEveryBoundary(t *testing.T) {
	t.Parallel()
	for _, sc := range boundaryScripts {
		modes := sc.modes
		if modes == nil {
			modes = runner.Modes
		}
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", sc.name, mode), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, sc.source)
				cfg.Transactions = max(1, sc.transactions)
				res, sessions := runScripted(t, startScripted(t), cfg)
				checkSession(t, res, sessions[0], noFault)
				for after := range len(sessions[0].messages) {
					if skipBoundary(after) {
						continue
					}
					for i, f := range endings {
						if f.ending != closed && !f.eager && (after+i)%3 > 0 {
							continue // each boundary is tried in some ways, and each way at many boundaries
						}
						if f.eager && (after == 0 || sessions[0].messages[after-1].kind != 'Z') {
							continue // the same as one that waits
						}
						f.loose = slices.Contains(sc.loose, mode)
						f.cut = cut{after: after, done: true}
						tryFault(t, cfg, f, nil)
						if f.ending == closed && !f.eager {
							f.unbounded = true
							tryFault(t, unbounded(cfg), f, nil)
						}
					}
					if t.Failed() {
						break // the next boundaries say the same
					}
				}
			})
		}
	}
}

// skipBoundary leaves out most boundaries under -short, which the race detector needs.
func skipBoundary(after int) bool { return testing.Short() && after%7 > 0 }

// unbounded is a config that doesn't say how many orders a statement does at most.
func unbounded(cfg runner.Config) runner.Config {
	g := cfg.Consumers
	g.Scripts = slices.Clone(g.Scripts)
	g.Scripts[0].Most = nil
	cfg.Consumers = g
	return cfg
}

// tryFault runs a load that ends by a fault.
func tryFault(t *testing.T, cfg runner.Config, f fault, change func(*scripted)) {
	t.Helper()
	s := startScripted(t)
	s.fault = func(int) fault { return f }
	if change != nil {
		change(s)
	}
	res, sessions := runScripted(t, s, cfg)
	if res.AbortedClients != 1 {
		t.Errorf("%v: %d aborted clients, want 1", f, res.AbortedClients)
	}
	checkSession(t, res, sessions[0], f)
}

// checkSession compares a result with the server's side of its only connection.
func checkSession(t *testing.T, res *runner.Load, x *session, f fault) {
	t.Helper()
	truth := x.committed
	safe, sure, pending := x.acknowledged()
	// What the server may have done by what the client sent, as far as the client can know: at least likely, at most possible.
	likely, possible := truth, truth
	if f.cut != noCut {
		for after := len(x.messages); ; after++ {
			not, done := replay(cut{after: after}, len(x.messages), x.sent), replay(cut{after, true}, len(x.messages), x.sent)
			possible = max(possible, not.committed, done.committed)
			if f.ending != fatal || after == len(x.messages) {
				// All that was done before a FATAL was said before it.
				likely = possible
			}
			if !done.dead {
				break
			}
		}
	}
	bad := ""
	doubt, unknown := res.Consumers.InDoubt, res.Consumers.InDoubtUnknown
	counted := possible <= safe+pending // all that may have been committed was counted before
	if f.ending == reset {
		safe = 0 // an RST may overtake what was sent before it
	}
	switch total := res.Consumers.Acknowledged + doubt; {
	case res.Consumers.Acknowledged < safe || res.Consumers.Acknowledged > sure:
		bad = "wrong acknowledgement"
	case res.Consumers.Orders != res.Consumers.Acknowledged:
		bad = fmt.Sprintf("%d orders are counted", res.Consumers.Orders)
	case !unknown && total < truth:
		bad = "neither acknowledged nor in doubt"
	case f.cut == noCut && (doubt != 0 || unknown):
		bad = "doubt without a fault"
	case f.ending == reset:
		// The client may have sent what the server did not see.
	case f.loose && !unknown && total < likely:
		bad = "less in doubt than may have been committed"
	case f.loose:
	case possible == safe && doubt != 0:
		bad = "in doubt though nothing can have been committed"
	case unknown && (counted || !f.unbounded):
		bad = "unknown though all counts were seen or bounded"
	case !unknown && total < likely:
		bad = "less in doubt than may have been committed"
	case !unknown && counted && total > max(possible, safe+pending):
		bad = "more in doubt than was done"
	case !unknown && total > possible && !counted:
		bad = "more in doubt than can have been done"
	}
	if bad != "" {
		t.Errorf("%v: %s: %d acknowledged, %d in doubt (unknown %v); committed %d, possibly %d to %d; seen to be committed %d to %d, pending %d\nsent %q\nreceived %s\nerrors %q",
			f, bad, res.Consumers.Acknowledged, doubt, unknown, truth, likely, possible, safe, sure, pending, x.trace, received(x.messages), res.Errors)
	}
}

// received shows messages by their kinds; CommandComplete, ErrorResponse and ReadyForQuery with what they say.
func received(messages []said) (out string) {
	for _, m := range messages {
		out += fmt.Sprintf(" %c", m.kind)
		if m.tag != "" {
			out += "(" + m.tag + ")"
		}
	}
	return out
}
