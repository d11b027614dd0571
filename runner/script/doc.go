// Package script reads and evaluates pgbench's script language.
//
// A script is text: SQL statements, split the way psql's lexer splits them,
// and backslash commands (\set, \gset, \if, \sleep, …). Parse turns it into
// an immutable Script that all clients of a run share; what differs between
// clients lives in a Vars (variables) and a Rand (random state), which an Env
// hands to the expressions.
//
// The aim is to be indistinguishable from pgbench 15 and later: the same
// statements reach the server, the same expressions give the same values bit
// for bit for the same seed, and the same mistakes are reported in the same
// words. Where a check exists that pgbench lacks, the place says so.
//
// The package knows no database and prints nothing.
package script
