package runner

import (
	"strings"

	"qbench/runner/script"
)

// searchPath holds the statements that set Config.SearchPath in a transaction.
// A session's SET would stay on the pooler's connection, for other clients.
type searchPath struct {
	prefix string // of a simple message, which is one transaction
	// before goes ahead of a statement outside of a block, in the same implicit
	// transaction; SET LOCAL would warn there. inside follows a BEGIN; a SELECT
	// there would come before SET TRANSACTION ISOLATION LEVEL, which must be first.
	before, inside step
}

func newSearchPath(path string) *searchPath {
	if path == "" {
		return nil
	}
	own := func(sql string) step {
		return step{Command: &script.Command{Kind: script.SQL, Text: sql}, id: ownStatement, sql: sql}
	}
	set := "set local search_path = " + path
	quoted := "'" + strings.ReplaceAll(path, "'", "''") + "'"
	return &searchPath{prefix: set + "; ", before: own("select pg_catalog.set_config('search_path', " + quoted + ", true)"), inside: own(set)}
}

// ownStatement is the id of a statement that no script holds.
const ownStatement = -1
