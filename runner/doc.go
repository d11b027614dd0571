// Package runner is the load: it connects clients to a PostgreSQL server,
// drives each through its scripts as pgbench would, and returns what happened
// as plain data. It prints nothing and knows no table.
//
// It has three layers, and imports point downwards only:
//   - runner/wire encodes and decodes the protocol's messages; bytes only.
//   - runner/loop has the sockets, plain and TLS, which never block, and the
//     timers; it knows no PostgreSQL.
//   - This package has the clients and their statistics, and joins the two.
//
// Inside, a client is a state machine that walks through a script, and a loop
// is one event loop that owns a share of the clients together with their
// connections and statistics; nothing is shared between loops while
// transactions run. Connecting (authentication, TLS) is pgconn's; once it is
// done, the socket is taken over (takeover.go).
//
// Start reading with Run in run.go, then eventLoop.serve and client.advance. From
// there startSQL (sql.go) leads to what is sent, conn.frame (response.go) to what
// comes back. What was committed and what is in doubt is decided in txn.go, the
// end of a run in ending.go.
package runner
