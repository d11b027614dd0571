// Package runner is the load: it connects clients to a PostgreSQL server,
// drives each through its scripts as pgbench would, and returns what happened
// as plain data. It prints nothing and knows no table.
//
// Inside, a conn speaks the wire protocol, a client is a state machine that
// walks through a script, and a thread is one event loop that owns a share of
// the clients together with their statistics; nothing is shared between
// threads while transactions run. Connecting (authentication, TLS) is
// pgconn's; once it is done, the socket is taken over.
package runner
