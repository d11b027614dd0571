package script

import (
	"slices"
	"testing"
)

func TestStatementsOfAText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"select 1", []string{"select 1"}},
		{"begin; insert into u values (1);commit;", []string{"begin", "insert into u values (1)", "commit"}},
		{"/* begin; */ update q set v = ';' ; -- commit;\n;select $$;$$; /* x */", []string{"update q set v = ';'", "select $$;$$"}},
		{`select ";", E'\';', (1;2) ; end`, []string{`select ";", E'\';', (1;2)`, "end"}},
		{"create function f() returns int begin atomic select 1; select 2; end; commit", []string{"create function f() returns int begin atomic select 1; select 2; end", "commit"}},
		{"  ;; ", nil},
	} {
		if got := Statements(c.sql); !slices.Equal(got, c.want) {
			t.Errorf("Statements(%q) = %q, want %q", c.sql, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"/* begin: /* nested */ x */ UPDATE q", []string{"update", "q"}},
		{"-- begin\nCommit AND chain", []string{"commit", "and", "chain"}},
		{`rollback to "My ""save""" `, []string{"rollback", "to", `My "save"`}},
		{"12 + $1", nil},
		{"", nil},
	} {
		if got := Words(c.sql, 4); !slices.Equal(got, c.want) {
			t.Errorf("Words(%q) = %q, want %q", c.sql, got, c.want)
		}
	}
}

func FuzzStatements(f *testing.F) {
	f.Add("begin; /* ; */ insert into u values ('a;''b');commit")
	f.Add(`E'\`)
	f.Add(`"a""`)
	f.Fuzz(func(t *testing.T, sql string) {
		for _, s := range Statements(sql) {
			if s == "" {
				t.Errorf("Statements(%q) has an empty statement", sql)
			}
			Words(s, 5)
		}
	})
}
