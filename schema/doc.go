// Package schema makes the tables that a queue lives in, fills them, proves
// that their orders were handled exactly once, and takes them away again.
//
// All SQL is in the .sql files under sql/, one folder per workload. A value
// that varies is a comment naming it, followed by a sample where one is
// needed, so that every file reads as SQL: "/*unlogged*/", "/*partitions*/256".
//
// The server is somebody's: what is made here bears a mark (the comment on the
// table, which also holds the options it was made with), and nothing without
// the mark is ever dropped, truncated or written to. Each administrative step
// is one transaction, and the mark says "seeded" only once everything is done,
// so that an interrupted step leaves nothing that could be mistaken for a
// good queue.
package schema
