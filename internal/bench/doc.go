// Package bench makes one run from a fresh queue to an audited result: it
// checks the server, makes and seeds the tables, runs the load, and holds what
// the clients counted against what the tables say.
//
// It brings scenarios, schema and runner together for every command that
// measures something. It has no flags and prints nothing: what happens is told
// through [Hooks], and what came out is data.
package bench
