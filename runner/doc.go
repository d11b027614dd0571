// Package runner is the load: it connects clients to a PostgreSQL server,
// drives each through its scripts as pgbench would, and returns what they did as
// plain data, a Load. It prints nothing and knows no table.
//
// It stands on packages of its own, which know nothing of it:
//   - runner/script parses and evaluates pgbench's script language.
//   - runner/wire encodes and decodes the protocol's messages; bytes only.
//   - runner/loop has the sockets, plain and TLS, which never block, and the
//     timers; it knows no PostgreSQL.
//   - runner/txn decides what is committed and what is in doubt.
//   - runner/usage reads what this process uses.
//
// Inside, a client is a state machine that walks through a script. An eventLoop,
// one per core at most, owns a share of the clients together with their
// connections and statistics; nothing is shared between event loops while
// transactions run. What pgbench calls a thread (-j) is a share of the clients
// with its own schedule, choice of scripts and log; an event loop carries one or
// several. Connecting (authentication, TLS) is pgconn's; once it is done, the
// socket is taken over (takeover.go).
//
// The types that refer to each other stand in types.go. The other files form
// layers, and each uses only what stands below it:
//
//	run.go                    Run: READY, STEADY, GO, and the result
//	connectall.go, deal.go    who gets which connections and clients
//	eventloop.go              what happens when: eventLoop.serve, client.advance
//	response.go, store.go     what comes back
//	observe.go, ending.go,    the goroutine that watches: intervals, clients that
//	assemble.go               do not end; what is put together afterwards
//	transaction.go            the steps of a transaction
//	meta.go, shell.go         what a command does on this side
//	drain.go, finish.go,      the ends: of the queue, of a client, of a
//	lost.go                   connection
//	pool.go, account.go       connections that are shared; what is counted
//	sql.go                    what is sent
//	failure.go, shared.go     errors and aborts; what all of this needs
//	types.go
//	statement.go, config.go   scripts, compiled; what a run is told
//
// go run ./.ci/backrefs -list ./runner checks that, and prints the whole order.
//
// Start reading with Run, then eventLoop.serve and client.advance. From there
// startSQL (sql.go) leads to what is sent, and conn.frame (response.go) to what
// comes back.
package runner
