package runner

import (
	"testing"

	"qbench/runner/script"
)

func TestCommandRows(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]int64{
		"INSERT 0 1\x00": 1, "DELETE 37\x00": 37, "SELECT 100\x00": 100, "UPDATE 0\x00": 0, "BEGIN\x00": 0, "": 0, "INSERT 0 12": 12,
	} {
		if got := commandRows([]byte(tag)); got != want {
			t.Errorf("%q: %d rows, want %d", tag, got, want)
		}
	}
}

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

func TestServerErrorShowsThePlace(t *testing.T) {
	t.Parallel()
	body := []byte("SERROR\x00C42601\x00Msyntax error at or near \"fro\"\x00P10\x00Hlook again\x00\x00")
	want := "ERROR:  syntax error at or near \"fro\"\nLINE 1: select 1 fro x\n                 ^\nHINT:  look again"
	if got := serverError(body, "select 1 fro x\nwhere true"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	second := []byte("SERROR\x00Mbad\x00P4\x00\x00")
	if got, want := serverError(second, "a\nbcd"), "ERROR:  bad\nLINE 2: bcd\n         ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := serverError(second, "abc"), "ERROR:  bad\nLINE 1: abc\n           ^"; got != want {
		t.Errorf("at the end: got\n%s\nwant\n%s", got, want)
	}
}

func TestQuoteIdentifier(t *testing.T) {
	t.Parallel()
	if got := quoteIdentifier(`a"b`); got != `"a""b"` {
		t.Error(got)
	}
}
