package runner

import (
	"testing"

	"qbench/runner/script"
)

func TestBlockEdges(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][2]bool{
		"begin;": {true, false}, "BEGIN ISOLATION LEVEL REPEATABLE READ": {true, false}, "start transaction": {true, false},
		"end;": {false, true}, "commit": {false, true}, "ROLLBACK;": {false, true}, "abort": {false, true},
		"rollback to savepoint a": {false, false}, "rollback work to a": {false, false}, "savepoint begin_x": {false, false},
		"/* begin: x */ update q set a = 1": {false, false}, "-- begin\ncommit": {false, true}, "commit and chain": {false, false},
		"commit and no chain": {false, true}, "rollback work and chain": {false, false}, "commit prepared 'x'": {false, false},
		"select 1": {false, false}, "beginning": {false, false}, "prepare transaction 'x'": {false, true}, "prepare p as select 1": {false, false}, "": {false, false},
	} {
		var st step
		st.Command = &script.Command{Pieces: []script.Piece{{Literal: sql, Slot: -1}}}
		st.compileSQL(nil)
		if st.opens != want[0] || st.closes != want[1] {
			t.Errorf("%q: opens %v, closes %v", sql, st.opens, st.closes)
		}
	}
}

func TestQuoteIdentifier(t *testing.T) {
	t.Parallel()
	if got := quoteIdentifier(`a"b`); got != `"a""b"` {
		t.Error(got)
	}
}
