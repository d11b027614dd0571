package runner

import (
	"slices"

	"qbench/runner/script"
)

// sqlKind is what a statement does to the transaction it runs in.
type sqlKind uint8

const (
	plainSQL sqlKind = iota
	readSQL          // changes nothing by itself
	writeSQL         // changes rows
	beginSQL
	commitSQL
	rollbackSQL
	savepointSQL
	rollbackToSQL
	releaseSQL
	prepareTransactionSQL
	commitPreparedSQL
	rollbackPreparedSQL
	callSQL // a procedure or DO block: outside of a block it may commit by itself
)

// sqlPart is one statement of a message: \; puts several into one.
type sqlPart struct {
	kind  sqlKind
	chain bool   // COMMIT or ROLLBACK AND CHAIN: a new block begins at once
	name  string // of the savepoint
}

// sqlParts classifies the statements of a text.
func sqlParts(sql string) []sqlPart {
	var parts []sqlPart
	for _, s := range script.Statements(sql) {
		parts = append(parts, partOf(s))
	}
	return parts
}

// partOf classifies one statement by its first words. That is safe because the
// keywords of transaction commands have no other meaning there.
func partOf(sql string) sqlPart {
	const most = 8 // "rollback transaction to savepoint name"
	words := script.Words(sql, most)
	if len(words) == 0 {
		return sqlPart{}
	}
	rest := words[1:]
	if len(rest) > 0 && (rest[0] == "work" || rest[0] == "transaction") && words[0] != "start" && words[0] != "prepare" {
		rest = rest[1:]
	}
	next := func(word string) bool { return len(rest) > 0 && rest[0] == word }
	last := ""
	if len(rest) > 0 {
		last = rest[len(rest)-1]
	}
	chain := next("and") && !slices.Contains(rest, "no")
	switch words[0] {
	case "begin":
		return sqlPart{kind: beginSQL}
	case "start":
		if next("transaction") {
			return sqlPart{kind: beginSQL}
		}
	case "commit", "end":
		if next("prepared") {
			return sqlPart{kind: commitPreparedSQL}
		}
		return sqlPart{kind: commitSQL, chain: chain}
	case "rollback", "abort":
		switch {
		case next("prepared"):
			return sqlPart{kind: rollbackPreparedSQL}
		case next("to"):
			return sqlPart{kind: rollbackToSQL, name: last}
		}
		return sqlPart{kind: rollbackSQL, chain: chain}
	case "savepoint":
		return sqlPart{kind: savepointSQL, name: last}
	case "release":
		return sqlPart{kind: releaseSQL, name: last}
	case "prepare":
		if next("transaction") {
			return sqlPart{kind: prepareTransactionSQL}
		}
	case "select", "values", "table", "show", "fetch":
		return sqlPart{kind: readSQL}
	case "insert", "update", "delete", "merge":
		return sqlPart{kind: writeSQL}
	case "call", "do":
		return sqlPart{kind: callSQL}
	}
	return sqlPart{}
}
