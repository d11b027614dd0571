package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustParse(t testing.TB, source string) (*Script, *Symbols) {
	t.Helper()
	syms := NewSymbols()
	s, err := Parse("case", source, syms)
	if err != nil {
		t.Fatal(err)
	}
	return s, syms
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range parseErrors {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Parse("case", tt.source, NewSymbols())
			if err == nil {
				t.Fatalf("no error; commands: %+v", s.Commands)
			}
			if diff := cmp.Diff(tt.err, err.Error()); diff != "" {
				t.Error(diff)
			}
			var e *Error
			if !errors.As(err, &e) || e.File != "case" || e.Line < 1 {
				t.Errorf("error has no place: %#v", err)
			}
		})
	}
}

// TestOwnParseErrors is what pgbench notices later or not at all.
func TestOwnParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, err string }{
		{"variable name", "\\set 1x 5", `case:1: invalid variable name (1x) in command "set"`},
		{"setshell's variable name", "select 1;\n\\setshell a-b echo 1", `case:2: invalid variable name (a-b) in command "setshell"`},
		{"NUL", "select 1;\nselect \x00;", "case:2: script contains a NUL byte"},
		{"note behind SQL", "select 1; -- qbench: orders\n", `case:1: a "-- qbench:" comment must have its line to itself`},
		{"syncpipeline with argument", "\\syncpipeline x", "case:1: unexpected argument in command \"syncpipeline\"\n\\syncpipeline x"},
		{"nesting", "\\set x " + strings.Repeat("(", 2*maxDepth), "case:1: memory exhausted in command \"set\"\n\\set x " +
			strings.Repeat("(", 2*maxDepth) + "\n" + strings.Repeat(" ", len("\\set x ")+maxDepth-1) + "^ error found here"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Parse("case", tt.source, NewSymbols())
			if err == nil {
				err = s.CheckNames()
			}
			if err == nil || err.Error() != tt.err {
				t.Errorf("got %v\nwant %s", err, tt.err)
			}
		})
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	for _, tt := range statements {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, syms := mustParse(t, tt.source)
			vars := NewVars(syms)
			var got []string
			for i := range s.Commands {
				if s.Commands[i].Kind == SQL {
					got = append(got, string(s.Commands[i].AppendSimple(nil, vars)))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// describe writes a command out, but for what Text says already.
func describe(c *Command) string {
	kinds := [...]string{"SQL", "Set", "If", "Elif", "Else", "Endif", "Sleep", "SetShell", "Shell", "StartPipeline", "SyncPipeline", "EndPipeline"}
	s := fmt.Sprintf("%d %s %q", c.Line, kinds[c.Kind], c.Text)
	if c.Store != NoStore {
		s += fmt.Sprintf(" %s %q", [...]string{Gset: "gset", Aset: "aset"}[c.Store], c.Prefix)
	}
	if c.Expr != nil {
		s += " expr " + c.Expr.String()
	}
	for i := range c.Args {
		s += " " + c.Args[i].word()
	}
	if c.End > 0 {
		s += fmt.Sprintf(" else %d end %d", c.Else, c.End)
	}
	return s
}

func TestCommands(t *testing.T) {
	t.Parallel()
	long := "select '" + strings.Repeat("x", 200) + "';"
	for _, tt := range []struct {
		name, source string
		want         []string
	}{
		{"lines", "\n\n select 1\n ;\n-- c\n\\set x 1\\\n+1\n/* */ select 2", []string{
			`3 SQL "select 1"`, `6 Set "\\set x 1\\\n+1" expr 1 + 1`, `8 SQL "/* */ select 2"`}},
		{"first line", long + "select 1\r\n;\\SET x 1 \r\n", []string{
			fmt.Sprintf("1 SQL %q", long[:127]), `1 SQL "select 1"`, `2 Set "\\SET x 1 " expr 1`}},
		{"blank at the end is kept", "select 1 \\gset p_\nselect 2;\\aset", []string{
			`1 SQL "select 1 " gset "p_"`, `2 SQL "select 2;" aset ""`}},
		{"words", "\\sleep 1ms\n\\sleep :v\n\\sleep 5 US\n\\shell a :b ::c :::d\\\n e\n\\setshell v x\\y z\\ ", []string{
			`1 Sleep "\\sleep 1ms" 1 ms`, `2 Sleep "\\sleep :v" :v`, `3 Sleep "\\sleep 5 US" 5 US`,
			`4 Shell "\\shell a :b ::c :::d\\\n e" a :b ::c :::d e`, `6 SetShell "\\setshell v x\\y z\\ " x\y z\`}},
		{"pipeline", "\\startpipeline\n\\SyncPipeline \n\\endpipeline", []string{
			`1 StartPipeline "\\startpipeline"`, `2 SyncPipeline "\\SyncPipeline "`, `3 EndPipeline "\\endpipeline"`}},
		{"conditions", "\\if 1\n\\if 2\n\\else\n\\endif\n\\elif 3\n\\elif 4\n\\else\n\\endif\n\\if 5\n\\endif", []string{
			`1 If "\\if 1" expr 1 else 4 end 7`, `2 If "\\if 2" expr 2 else 2 end 3`, `3 Else "\\else" else 0 end 3`,
			`4 Endif "\\endif"`, `5 Elif "\\elif 3" expr 3 else 5 end 7`, `6 Elif "\\elif 4" expr 4 else 6 end 7`,
			`7 Else "\\else" else 0 end 7`, `8 Endif "\\endif"`, `9 If "\\if 5" expr 5 else 9 end 9`, `10 Endif "\\endif"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := mustParse(t, tt.source)
			var got []string
			for i := range s.Commands {
				got = append(got, describe(&s.Commands[i]))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want string // variables in brackets
	}{
		{"select 1", "select 1"},
		{":a", "[a]"},
		{"select :a::int, ':b', $$:c$$", "select [a]::int, '[b]', $$[c]$$"},
		{":::a :1 :: : :", ":::a :1 :: : :"},
		{":a:b:_1é-", "[a][b][_1é]-"},
	} {
		got := ""
		for _, p := range pieces(tt.text, NewSymbols()) {
			if p.Slot >= 0 {
				got += "[" + p.Name + "]"
			} else {
				got += p.Literal
			}
		}
		if got != tt.want {
			t.Errorf("pieces(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	s, _ := mustParse(t, "-- qbench: summary = a b \n--qbench:x\n-- other\nselect 1;\n  --\tqbench:  orders\r\nselect\n-- qbench: within\n2;\n\\set x 1\n-- qbench: last")
	want := []Note{
		{Text: "summary = a b", Line: 1, Column: 12, Command: 0},
		{Text: "x", Line: 2, Column: 10, Command: 0},
		{Text: "orders", Line: 5, Column: 15, Command: 1},
		{Text: "within", Line: 7, Column: 12, Command: 1},
		{Text: "last", Line: 10, Column: 12, Command: 3},
	}
	if diff := cmp.Diff(want, s.Notes, cmp.AllowUnexported(Note{})); diff != "" {
		t.Error(diff)
	}
}

func TestErrorWithoutText(t *testing.T) {
	t.Parallel()
	e := &Error{File: "f", Line: 3, Column: 7, Msg: "bad", More: "x", Command: "set"}
	if got, want := e.Error(), `f:3: bad (x) at column 7 in command "set"`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckArguments(t *testing.T) {
	t.Parallel()
	statement := "select " + strings.Repeat(":a,", 255)
	s, _ := mustParse(t, statement+"1;")
	if err := s.CheckArguments(); err != nil {
		t.Error(err)
	}
	s, _ = mustParse(t, "select 1;"+statement+":b;")
	want := "statement has too many arguments (maximum is 255): " + statement + ":b;"
	if err := s.CheckArguments(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"": false, "a": true, "_": true, "A1_é": true, "1a": false, "a-b": false, "?column?": false, "a b": false, "é": true,
	} {
		if got := ValidName(name); got != want {
			t.Errorf("ValidName(%q) = %v", name, got)
		}
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	s := NewSymbols()
	a, b := s.Intern("a"), s.Intern("b")
	if a == b || s.Intern("a") != a || s.Len() != 2 || s.Name(b) != "b" {
		t.Errorf("a %d, b %d, %d names", a, b, s.Len())
	}
	if slot, ok := s.Lookup([]byte("b")); !ok || slot != b {
		t.Errorf("Lookup(b) = %d, %v", slot, ok)
	}
	if _, ok := s.Lookup([]byte("c")); ok || s.Len() != 2 {
		t.Error("Lookup made a name")
	}
}

// TestParseProperty puts scripts together from parts that are hard on the parser.
func TestParseProperty(t *testing.T) {
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
		checkScript(t, s)
	})
}

// checkScript holds what the runner relies on in any script: a jump leads forward to
// a command of the same \if, and what points into the source or the commands is in range.
func checkScript(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, s *Script) {
	t.Helper()
	lines := strings.Count(s.Source, "\n") + strings.Count(s.Source, "\r") + 1
	for i := range s.Commands {
		c := &s.Commands[i]
		jump := func(to int, kinds ...Kind) {
			if to <= i || to >= len(s.Commands) || !slices.Contains(kinds, s.Commands[to].Kind) {
				t.Fatalf("%q: command %d jumps to %d", s.Source, i, to)
			}
		}
		switch c.Kind {
		case If, Elif:
			jump(c.Else, Elif, Else, Endif)
			jump(c.End, Endif)
		case Else:
			jump(c.End, Endif)
		}
		if c.Line < 1 || c.Line > lines || c.Kind == SQL && len(c.Pieces) == 0 {
			t.Fatalf("%q: command %d is %+v", s.Source, i, *c)
		}
	}
	for _, n := range s.Notes {
		if n.Command < 0 || n.Command > len(s.Commands) || n.Line < 1 || n.Line > lines {
			t.Fatalf("%q: note %+v", s.Source, n)
		}
	}
}
