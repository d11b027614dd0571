package runner_test

import (
	"fmt"
	"testing"

	"qbench/runner"
)

// TestPooledConnectionLost ends one connection of a pool at each boundary of its first transaction: its client is aborted, the
// others go on with what is left, and the run ends even if that is nothing.
func TestPooledConnectionLost(t *testing.T) {
	t.Parallel()
	const clients = 4
	for _, mode := range runner.Modes {
		for _, size := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", mode, size), func(t *testing.T) {
				t.Parallel()
				cfg := scriptedConfig(t, mode, boundaryScripts[0].source)
				cfg.Transactions = 1
				_, sessions := runScripted(t, startScripted(t), cfg)
				cfg.Consumers.Clients, cfg.Consumers.Pool, cfg.Transactions = clients, size, 3
				for after := range len(sessions[0].messages) + 1 {
					if skipBoundary(after) {
						continue
					}
					for _, f := range []fault{{ending: closed}, {ending: fatal}, {eager: true}} {
						f.cut = cut{after: after, done: true}
						s := startScripted(t)
						s.fault = func(n int) fault {
							if n == 0 {
								return f
							}
							return noFault
						}
						res, all := runScripted(t, s, cfg)
						truth := int64(0)
						for _, x := range all {
							truth += x.committed
						}
						if res.Consumers.Acknowledged > truth || res.Consumers.Acknowledged+res.Consumers.InDoubt < truth || res.Consumers.InDoubtUnknown {
							t.Errorf("%v: %d acknowledged, %d in doubt (unknown %v), %d committed", f, res.Consumers.Acknowledged, res.Consumers.InDoubt, res.Consumers.InDoubtUnknown, truth)
						}
						if size == 1 && res.AbortedClients != clients {
							t.Errorf("%v: %d aborted clients of %d without a connection", f, res.AbortedClients, clients)
						}
						if size > 1 && (res.AbortedClients > 1 || res.Consumers.Transactions < 3*(clients-1)) {
							t.Errorf("%v: %d aborted clients and %d transactions: %q", f, res.AbortedClients, res.Consumers.Transactions, res.Errors)
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

// TestConnectionOfOneTransactionLost does the same where each transaction has a connection of its own.
func TestConnectionOfOneTransactionLost(t *testing.T) {
	t.Parallel()
	for _, mode := range runner.Modes {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			cfg := scriptedConfig(t, mode, boundaryScripts[0].source)
			cfg.Transactions = 1
			_, sessions := runScripted(t, startScripted(t), cfg)
			cfg.Connect, cfg.Transactions = true, 3
			for after := range len(sessions[0].messages) {
				if skipBoundary(after) {
					continue
				}
				for _, kind := range []ending{closed, fatal} {
					s := startScripted(t)
					s.fault = func(n int) fault {
						if n == 1 {
							return fault{cut: cut{after: after, done: true}, ending: kind}
						}
						return noFault
					}
					res, all := runScripted(t, s, cfg)
					if len(all) != 2 || res.AbortedClients != 1 || res.Consumers.Transactions != 1 {
						t.Fatalf("after %d: %d connections, %d aborted clients, %d transactions; want 2, 1, 1: %q", after, len(all), res.AbortedClients, res.Consumers.Transactions, res.Errors)
					}
					truth := all[0].committed + all[1].committed
					if res.Consumers.Acknowledged > truth || res.Consumers.Acknowledged+res.Consumers.InDoubt < truth || res.Consumers.InDoubtUnknown {
						t.Errorf("after %d: %d acknowledged, %d in doubt (unknown %v), %d committed", after, res.Consumers.Acknowledged, res.Consumers.InDoubt, res.Consumers.InDoubtUnknown, truth)
					}
				}
			}
		})
	}
}
