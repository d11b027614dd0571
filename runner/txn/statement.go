package txn

import (
	"slices"

	"qbench/runner/script"
)

// Kind is what a statement does to the transaction it runs in.
type Kind uint8

// The kinds of statements.
const (
	Plain Kind = iota // any other
	Read              // changes nothing by itself
	Write             // changes rows
	Begin
	Commit
	Rollback
	Savepoint
	RollbackTo
	Release
	Prepare
	CommitPrepared
	RollbackPrepared
	Call // a procedure or DO block: outside of a block it may commit by itself
)

// Part is one statement of a message: \; puts several into one.
type Part struct {
	Kind  Kind
	Chain bool   // COMMIT or ROLLBACK AND CHAIN: a new block begins at once
	Name  string // of the savepoint
}

// Opens says whether the statement starts a transaction block.
func (p Part) Opens() bool { return p.Kind == Begin }

// Ends says whether the statement ends a transaction block, though a new one may
// begin at once.
func (p Part) Ends() bool { return p.Kind == Commit || p.Kind == Rollback || p.Kind == Prepare }

// Parts classifies the statements of a text.
func Parts(sql string) []Part {
	var parts []Part
	for _, s := range script.Statements(sql) {
		parts = append(parts, partOf(s))
	}
	return parts
}

// partOf classifies one statement by its first words. That is safe because the
// keywords of transaction commands have no other meaning there.
func partOf(sql string) Part {
	const most = 8 // "rollback transaction to savepoint name"
	words := script.Words(sql, most)
	if len(words) == 0 {
		return Part{}
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
		return Part{Kind: Begin}
	case "start":
		if next("transaction") {
			return Part{Kind: Begin}
		}
	case "commit", "end":
		if next("prepared") {
			return Part{Kind: CommitPrepared}
		}
		return Part{Kind: Commit, Chain: chain}
	case "rollback", "abort":
		switch {
		case next("prepared"):
			return Part{Kind: RollbackPrepared}
		case next("to"):
			return Part{Kind: RollbackTo, Name: last}
		}
		return Part{Kind: Rollback, Chain: chain}
	case "savepoint":
		return Part{Kind: Savepoint, Name: last}
	case "release":
		return Part{Kind: Release, Name: last}
	case "prepare":
		if next("transaction") {
			return Part{Kind: Prepare}
		}
	case "select", "values", "table", "show", "fetch":
		return Part{Kind: Read}
	case "insert", "update", "delete", "merge":
		return Part{Kind: Write}
	case "call", "do":
		return Part{Kind: Call}
	}
	return Part{}
}
