package runner_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"qbench/runner"
)

// TestBoundariesByteByByte ends connections while messages arrive torn at every byte, with asynchronous ones in between:
// neither may make a difference.
func TestBoundariesByteByByte(t *testing.T) {
	t.Parallel()
	for _, sc := range boundaryScripts {
		switch sc.name {
		case "block", "autocommit function", "rollback to savepoint", "a retried statement", "one message, two blocks", "pipeline with an error after COMMIT":
		default:
			continue
		}
		modes := sc.modes
		if modes == nil {
			modes = runner.Modes
		}
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/%s", sc.name, mode), func(t *testing.T) {
				t.Parallel()
				torture := func(s *scripted) { s.bytewise, s.chatty = true, true }
				cfg := scriptedConfig(t, mode, sc.source)
				cfg.Transactions = 1
				s := startScripted(t)
				torture(s)
				res, sessions := runScripted(t, s, cfg)
				checkSession(t, res, sessions[0], noFault)
				for after := range len(sessions[0].messages) {
					if skipBoundary(after) {
						continue
					}
					f := fault{cut: cut{after: after, done: true}, loose: slices.Contains(sc.loose, mode)}
					if tryFault(t, cfg, f, torture); t.Failed() {
						break // the next boundaries say the same
					}
				}
			})
		}
	}
}

// TestAllClientsLost ends all connections at the same boundary: each is counted once, and together they are bounded.
func TestAllClientsLost(t *testing.T) {
	t.Parallel()
	const clients = 5
	for _, mode := range runner.Modes {
		for _, kind := range []ending{closed, fatal} {
			t.Run(fmt.Sprintf("%s/%v", mode, kind), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, boundaryScripts[0].source)
				cfg.Transactions = 1
				_, sessions := runScripted(t, startScripted(t), cfg)
				all := sessions[0].messages
				commit := len(all) - 2 // CommandComplete and ReadyForQuery come last
				if all[commit].tag != "COMMIT" {
					t.Fatalf("the exchange ends with%s", received(all))
				}
				cfg.Transactions, cfg.Consumers.Clients, cfg.Threads = 3, clients, 2
				for after, want := range map[int][2]int64{commit: {0, 3 * clients}, commit + 1: {3 * clients, 0}} {
					s := startScripted(t)
					s.fault = func(int) fault { return fault{cut: cut{after: after, done: true}, ending: kind} }
					res, _ := runScripted(t, s, cfg)
					if res.AbortedClients != clients || res.Consumers.Acknowledged != want[0] || res.Consumers.InDoubt != want[1] && mode != runner.Pipelined {
						t.Errorf("after %d messages: %d aborted, %d acknowledged, %d in doubt; want %d, %d, %d", after, res.AbortedClients, res.Consumers.Acknowledged, res.Consumers.InDoubt, clients, want[0], want[1])
					}
				}
			})
		}
	}
}

// TestLostWhileWaiting ends the connection of a client that waits for something other than the server. It is counted once,
// and the other client goes on to its end.
func TestLostWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		change       func(*runner.Config)
	}{
		{"sleep", "begin;\ninsert into u limit 1;\nend;\n\\sleep 30 ms\n", nil},
		{"sleep in a block", "begin;\ninsert into u limit 1;\n\\sleep 30 ms\nend;\n", nil},
		{"throttled", "insert into u limit 1;\n", func(cfg *runner.Config) { cfg.Consumers.Rate = 50 }},
		{"idle", "select take(1) limit 0;\n", func(cfg *runner.Config) { cfg.Consumers.Idle = 30 * time.Millisecond }},
		{"yielded", "\\if :n < 3\ninsert into u limit 1;\n\\endif\n\\set n :n + 1\n", func(cfg *runner.Config) {
			cfg.Variables, cfg.Transactions = map[string]string{"n": "0"}, 20000
		}},
		{"shell", "insert into u limit 1;\n\\shell sleep 0.03\n", nil},
		{"setshell", "begin;\ninsert into u limit 1;\n\\setshell x sleep 0.03 && echo 1\nend;\n", nil},
	} {
		for _, mode := range []runner.Mode{runner.Simple, runner.Pipelined} {
			t.Run(c.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				if strings.Contains(c.name, "shell") {
					if _, err := exec.LookPath("sleep"); err != nil {
						t.Skip("needs sleep")
					}
				}
				cfg := scriptedConfig(t, mode, c.source)
				cfg.Consumers.Clients, cfg.Transactions = 2, 4
				if c.change != nil {
					c.change(&cfg)
				}
				// One client's connection ends after each ReadyForQuery in turn.
				for n := 1; ; n++ {
					s := startScripted(t)
					s.fault = func(i int) fault {
						f := noFault
						if i == 0 {
							f.eager, f.readies = true, n
						}
						return f
					}
					res, sessions := runScripted(t, s, cfg)
					if !sessions[0].dead || n > 3 {
						break
					}
					if res.AbortedClients != 1 || len(res.Errors) != 1 {
						t.Errorf("cut after %d replies: %d aborted clients, errors %q; want one", n, res.AbortedClients, res.Errors)
					}
					if res.Consumers.Transactions < cfg.Transactions {
						t.Errorf("cut after %d replies: %d transactions; the other client's are %d", n, res.Consumers.Transactions, cfg.Transactions)
					}
					truth := sessions[0].committed + sessions[1].committed
					if res.Consumers.Acknowledged > truth || !res.Consumers.InDoubtUnknown && res.Consumers.Acknowledged+res.Consumers.InDoubt < truth {
						t.Errorf("cut after %d replies: %d acknowledged, %d in doubt, %d committed", n, res.Consumers.Acknowledged, res.Consumers.InDoubt, truth)
					}
				}
			})
		}
	}
}

// TestFirstCauseFirst holds that the error that everything else followed from is the first of the result.
func TestFirstCauseFirst(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		for _, source := range []string{"insert into no_such_table limit 1;\n", "begin;\ninsert into no_such_table limit 1;\nend;\n", "begin;\nselect 1 as n from no_such_table \\gset\nend;\n"} {
			t.Run(string(mode), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, source)
				cfg.Consumers.Clients = 3
				res, _ := runScripted(t, startScripted(t), cfg)
				if res.AbortedClients != 3 || res.Consumers.Acknowledged != 0 || res.Consumers.InDoubt != 0 {
					t.Errorf("%d aborted, %d acknowledged, %d in doubt", res.AbortedClients, res.Consumers.Acknowledged, res.Consumers.InDoubt)
				}
				if len(res.Errors) == 0 || !strings.Contains(res.Errors[0], "no_such_table") {
					t.Errorf("%s: the first error is not the cause: %q", source, res.Errors)
				}
			})
		}
	}
}

// TestCauseOfALostConnection holds that the server's last words are reported, not that the connection was lost.
func TestCauseOfALostConnection(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			cfg := scriptedConfig(t, mode, boundaryScripts[0].source)
			_, sessions := runScripted(t, startScripted(t), cfg)
			for after, m := range sessions[0].messages {
				s := startScripted(t)
				s.fault = func(int) fault { return fault{cut: cut{after: after}, ending: fatal} }
				if res, _ := runScripted(t, s, cfg); len(res.Errors) == 0 || !strings.Contains(res.Errors[0], "administrator command") {
					t.Errorf("FATAL in place of %c after %d messages: errors %q", m.kind, after, res.Errors)
				}
			}
		})
	}
}

// TestTwoPhaseIsNotAcknowledged holds that the orders of PREPARE TRANSACTION are not acknowledged by it, and never neither
// acknowledged nor in doubt once COMMIT PREPARED was.
func TestTwoPhaseIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	const prepare = "begin;\ninsert into u limit 3;\nprepare transaction 'x';\n"
	for _, mode := range runner.Modes {
		for end, truth := range map[string]int64{"": 0, "commit prepared 'x';\n": 3, "rollback prepared 'x';\n": 0} {
			t.Run(fmt.Sprintf("%s/%.8s", mode, end), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, prepare+end)
				cfg.Transactions = 1
				res, sessions := runScripted(t, startScripted(t), cfg)
				if sessions[0].committed != truth {
					t.Fatalf("the server committed %d, want %d", sessions[0].committed, truth)
				}
				if res.Consumers.Acknowledged > truth || !res.Consumers.InDoubtUnknown && res.Consumers.Acknowledged+res.Consumers.InDoubt < truth {
					t.Errorf("%d acknowledged, %d in doubt, %d committed", res.Consumers.Acknowledged, res.Consumers.InDoubt, truth)
				}
			})
		}
	}
}

// TestPreparedTransactionsOutliveTheirClient holds that orders that were prepared and not yet committed count as in doubt.
func TestPreparedTransactionsOutliveTheirClient(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			cfg := scriptedConfig(t, mode, "begin;\ninsert into u limit 3;\nprepare transaction 'x';\n")
			cfg.Transactions = 1
			res, _ := runScripted(t, startScripted(t), cfg)
			if res.Consumers.Acknowledged != 0 || res.Consumers.InDoubt != 3 && !res.Consumers.InDoubtUnknown {
				t.Errorf("%d acknowledged, %d in doubt; want 0 and 3", res.Consumers.Acknowledged, res.Consumers.InDoubt)
			}
		})
	}
}
