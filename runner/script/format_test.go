package script

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFormatGolden(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/format.sql")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := mustParse(t, string(source))
	got := s.Format()
	const file = "testdata/format.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	checkFormat(t, s)
}

// meaning is what of a command must survive Format.
type meaning struct {
	Kind      Kind
	Name      string
	Text      string // of SQL
	Pieces    []Piece
	Store     Store
	Prefix    string
	Target    string
	Expr      string
	Args      []Arg
	Else, End int
}

func meanings(s *Script) []meaning {
	var out []meaning
	for i := range s.Commands {
		c := &s.Commands[i]
		m := meaning{c.Kind, c.Name, "", c.Pieces, c.Store, c.Prefix, c.target, "", c.Args, c.Else, c.End}
		if c.Kind == SQL {
			m.Text = c.Text
		}
		if c.Expr != nil {
			m.Expr = c.Expr.String()
		}
		for j := range m.Pieces {
			m.Pieces[j].Slot = min(m.Pieces[j].Slot, 0) // numbered as they come
		}
		for j := range m.Args {
			m.Args[j].Slot = min(m.Args[j].Slot, 0)
		}
		out = append(out, m)
	}
	return out
}

type noteMeaning struct {
	Text    string
	Command int
}

func noteMeanings(s *Script) []noteMeaning {
	var out []noteMeaning
	for _, n := range s.Notes {
		out = append(out, noteMeaning{n.Text, n.Command})
	}
	return out
}

// checkFormat checks that parsing what Format prints gives the same script.
func checkFormat(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *Script) {
	t.Helper()
	printed := s.Format()
	again, err := Parse("case", printed, NewSymbols())
	if err != nil {
		t.Fatalf("%q is printed as %q: %v", s.Source, printed, err)
	}
	if diff := cmp.Diff(meanings(s), meanings(again)); diff != "" {
		t.Fatalf("%q is printed as %q:\n%s", s.Source, printed, diff)
	}
	if diff := cmp.Diff(noteMeanings(s), noteMeanings(again)); diff != "" {
		t.Fatalf("%q is printed as %q:\n%s", s.Source, printed, diff)
	}
	if twice := again.Format(); twice != printed {
		t.Fatalf("%q is printed as %q, then as %q", s.Source, printed, twice)
	}
}

func TestFormatTables(t *testing.T) {
	t.Parallel()
	for _, tt := range statements {
		s, _ := mustParse(t, tt.source)
		checkFormat(t, s)
	}
}

// TestFormatProperty puts scripts together from parts that are hard on it.
func TestFormatProperty(t *testing.T) {
	t.Parallel()
	parts := []string{
		"select 1;", "select 1 ", "select :a::int\n", "-- c\n", "\n-- qbench: k = v\n", ";", `\;`, `\:`, "\\\n", "\\gset\n", "\\gset p_\n",
		"\\aset q\\ \n", "/* x;\n*/", "'a;\\", "'", "$$;", "(", ")", "E'\\'", "\n", "\r\n", ":{?x}", ":'x'", "create function f() begin ", " end ",
		"\\set x 1 + 2\n", "\\set y case when :x then -1 end \\\n + 2.0\n", "\\sleep 1ms\n", "\\sleep :x us\n", "\\shell a :b ::c\\\n", "\\shell a\\ \n",
		"\\setshell v a\n", "\\if 1\n", "\\elif not :x is null\n", "\\else\n", "\\endif\n", "\\startpipeline\n", "\\endpipeline \\\n\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		source := ""
		for _, part := range rapid.SliceOfN(rapid.SampledFrom(parts), 1, 12).Draw(t, "parts") {
			source += part
		}
		s, err := Parse("case", source, NewSymbols())
		if err != nil {
			return // many of these are wrong; that nothing panics is enough
		}
		checkFormat(t, s)
	})
}

// genExpr draws the source of an expression that parses.
func genExpr(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{
			"0", "1", "-1", "7", "2.5", "-0.25", "1e3", "9223372036854775807", "-9223372036854775808", "NULL", "true", "FALSE", ":a", ":default_seed", "pi()",
		}).Draw(t, "leaf")
	}
	sub := func() string { return genExpr(t, depth-1) }
	switch rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return "(" + sub() + ")"
	case 1:
		return rapid.SampledFrom([]string{"-", "+", "~", "not "}).Draw(t, "prefix") + sub()
	case 2:
		return "(" + sub() + ") " + rapid.SampledFrom([]string{"is null", "is not true", "isnull", "notnull", "is false"}).Draw(t, "is")
	case 3:
		return "case when " + sub() + " then " + sub() + " else " + sub() + " end"
	case 4:
		return rapid.SampledFrom([]string{"abs", "int", "double", "sqrt", "debug", "hash", "least"}).Draw(t, "function") + "(" + sub() + ")"
	case 5:
		return rapid.SampledFrom([]string{"greatest", "mod", "pow", "random", "permute", "hash_fnv1a"}).Draw(t, "function") + "(" + sub() + ", " + sub() + ")"
	default:
		sign := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "&", "|", "#", "<<", ">>", " and ", " or "}).Draw(t, "sign")
		return sub() + sign + sub()
	}
}

// TestPrintedExpressionMeansTheSame evaluates an expression and its printed
// form from the same random state.
func TestPrintedExpressionMeansTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		source := genExpr(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		checkExpr(t, source)
	})
}

func checkExpr(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, source string) {
	t.Helper()
	eval := func(source string) (printed, value string) {
		syms := NewSymbols()
		s, err := Parse("case", `\set x `+source, syms)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		env := newEnv(syms)
		env.Vars.SetText(syms.Intern("a"), []byte("12"))
		e := s.Commands[0].Expr
		return e.String(), evalText(e, env)
	}
	printed, want := eval(source)
	if again, got := eval(printed); got != want || again != printed {
		t.Fatalf("%s = %s, printed as %s it is %s, and printed again %s", source, want, printed, got, again)
	}
}
