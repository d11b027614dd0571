package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qbench/runner/script"
)

const validHeader = `-- qbench: summary = a = b
-- qbench: workload = orders
-- qbench: layouts = plain,  partitioned
-- qbench: param batch = 10 : orders per transaction
-- qbench: param mean = 0.5
-- qbench: state turn = 0
-- qbench: inline = p
-- qbench: functions = f, g
-- an ordinary comment
\set p :turn + :mean
begin;
-- qbench: orders
delete from q_:p limit :batch;
-- qbench: orders = value
select f();
end;
`

func TestHeader(t *testing.T) {
	t.Parallel()
	s, err := parse("dir/mine.sql", validHeader, script.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	orders := s.Orders
	s.Script, s.Source, s.Orders = nil, "", nil
	want := &Scenario{
		Name: "mine", Summary: "a = b", Workload: "orders", Layouts: []string{"plain", "partitioned"},
		Params: []Param{{"batch", "10", "orders per transaction"}, {"mean", "0.5", ""}},
		State:  []Param{{Name: "turn", Default: "0"}},
		Inline: []string{"p"}, Functions: []string{"f", "g"}, Path: "dir/mine.sql",
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if want := []script.OrderCount{0, 0, script.CountRows, script.CountValue, 0}; !slices.Equal(orders, want) {
		t.Errorf("orders %v, want %v", orders, want)
	}
}

func TestHeaderErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, source, err string }{
		{"unknown key", "-- qbench: sumary = x\nselect 1;", `f.sql:1:12: unknown key "sumary": did you mean "summary"?`},
		{"key unlike any", "-- qbench: zzzzzzzz = x\nselect 1;", `f.sql:1:12: unknown key "zzzzzzzz"`},
		{"no key", "-- qbench: = x\nselect 1;", `f.sql:1:12: a key is missing: write "-- qbench: key = value"`},
		{"empty note", "\n  -- qbench:\nselect 1;", `f.sql:2:13: a key is missing: write "-- qbench: key = value"`},
		{"no value", "-- qbench: summary\nselect 1;", `f.sql:1:12: "summary" needs a value: write "-- qbench: summary = value"`},
		{"empty value", "-- qbench: summary =\nselect 1;", `f.sql:1:12: "summary" needs a value: write "-- qbench: summary = value"`},
		{"two words", "-- qbench: summary of = x\nselect 1;", `f.sql:1:12: "summary" needs a value: write "-- qbench: summary = value"`},
		{"twice", "-- qbench: summary = x\n-- qbench: summary = x\nselect 1;", `f.sql:2:12: "summary" is given twice`},
		{"below a command", "select 1;\n-- qbench: summary = x\nselect 1;", `f.sql:2:12: "summary" belongs above the first command`},
		{"inside a statement", "select\n-- qbench: summary = x\n1;", `f.sql:2:12: "summary" belongs above the first command`},
		{"workload", "-- qbench: workload = order\nselect 1;", `f.sql:1:12: unknown workload "order": did you mean "orders"?`},
		{"layout", "-- qbench: workload = orders\n-- qbench: layouts = plan\nselect 1;", `f.sql: the workload "orders" has no layout "plan": did you mean "plain"?`},
		{"layout without workload", "-- qbench: layouts = plain\nselect 1;", `f.sql: layouts are given, but no workload: add "-- qbench: workload = orders"`},
		{"empty entry", "-- qbench: functions = a,,b\nselect 1;", `f.sql:1:12: an entry of the list is empty`},
		{"listed twice", "-- qbench: functions = a, a\nselect 1;", `f.sql:1:12: "a" is listed twice`},
		{"param without name", "-- qbench: param = 1\nselect 1;", `f.sql:1:12: "param" needs a name and a value: write "-- qbench: param name = value"`},
		{"param without value", "-- qbench: param a\nselect :a;", `f.sql:1:12: "param" needs a name and a value: write "-- qbench: param name = value"`},
		{"param with help only", "-- qbench: param a = : help\nselect :a;", `f.sql:1:12: the variable "a" needs a value`},
		{"param's name", "-- qbench: param a-b = 1\nselect :a;", `f.sql:1:12: "a-b" is no variable name`},
		{"param and state", "-- qbench: param a = 1\n-- qbench: state a = 1\nselect :a;", `f.sql:2:12: the variable "a" is given twice`},
		{"param unused", "-- qbench: param a = 1\n\\set b :ab + 1\nselect :ab;", `f.sql:1:12: nothing in the script uses the variable "a"`},
		{"inline unused", "-- qbench: inline = a\n\\set b :a + 1\nselect 1;", `f.sql:1:12: no statement uses the variable "a"`},
		{"orders above a meta command", "-- qbench: orders\n\\set a 1\nselect 1;", `f.sql:1:12: "orders" belongs right above an SQL statement`},
		{"orders at the end", "select 1;\n-- qbench: orders", `f.sql:2:12: "orders" belongs right above an SQL statement`},
		{"orders inside", "select\n-- qbench: orders\n1;", `f.sql:2:12: "orders" belongs above the statement, not inside of it`},
		{"orders twice", "-- qbench: orders\n-- qbench: orders = value\nselect 1;", `f.sql:2:12: the statement below has "orders" twice`},
		{"orders by what", "-- qbench: orders = rows\nselect 1;", `f.sql:1:12: orders can be counted by rows ("orders") or by "orders = value", not by "rows"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("f.sql", tt.source, script.NewSymbols())
			if err == nil {
				t.Fatalf("no error, want %s", tt.err)
			}
			if err.Error() != tt.err {
				t.Errorf("error %q\n want %q", err, tt.err)
			}
		})
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`\set x :a`, true}, {`\set x :a+1`, true}, {`\set x :ab + :a`, true},
		{`\set x :ab`, false}, {`\set a 1`, false}, {`\set x :a1`, false}, {``, false},
	} {
		if got := mentions(tt.text, "a"); got != tt.want {
			t.Errorf("mentions(%q, a) = %v", tt.text, got)
		}
	}
}

// FuzzHeader checks that no text makes the reading of a header panic, and that
// what is accepted points at commands and variables that exist.
func FuzzHeader(f *testing.F) {
	f.Add(validHeader)
	f.Add("-- qbench: orders\nselect 1 \\aset\n")
	f.Add("select 1\n-- qbench: param a = 1 : b\n;")
	shipped, err := filepath.Glob("*.sql")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range shipped {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Fuzz(func(t *testing.T, source string) {
		s, err := parse("f.sql", source, script.NewSymbols())
		if err != nil {
			return
		}
		for i, how := range s.Orders {
			if how != script.NotCounted && s.Script.Commands[i].Kind != script.SQL {
				t.Errorf("command %d counts orders, but is no SQL", i)
			}
		}
		for _, p := range slices.Concat(s.Params, s.State) {
			if !script.ValidName(p.Name) || p.Default == "" || !strings.Contains(source, ":"+p.Name) {
				t.Errorf("accepted the variable %+v", p)
			}
		}
	})
}
