// Package scenarios holds what a client does: one pgbench script per strategy,
// embedded, with a header that says what it is for and what it needs.
//
// The header is made of comments, which pgbench skips, so that every file runs
// under the real pgbench as it stands:
//
//	-- qbench: summary = lock the oldest order, then move it
//	-- qbench: workload = orders
//	-- qbench: layouts = plain, unlogged
//	-- qbench: param batch = 10 : orders per transaction
//	-- qbench: state turn = 0
//	-- qbench: inline = p
//	-- qbench: functions = dyn_pre_orders
//
// A param is a variable with a default that the user may set (-D). A state is
// the start value of a variable that the script carries from one transaction
// to the next. An inline variable stands where SQL takes no parameter, and is
// put into the text in every query mode. Functions are those that the schema
// must have.
//
// Right above the statement whose row count is the number of orders done
// stands "-- qbench: orders", or "-- qbench: orders = value" where the first
// column of its first row is that number. "-- qbench: rows = 10", or a variable
// in place of the number, names the most orders that one execution does; it
// bounds the orders in doubt after a lost connection.
//
// The params named clients and partitions take their values from the run.
//
// A file without a header is a strategy too: a plain pgbench script.
package scenarios
