package script

import (
	"math"
	"strings"
	"testing"
)

// FuzzParse: whatever the text, Parse does not panic, and what it accepts
// is a script that can run.
func FuzzParse(f *testing.F) {
	for _, tt := range statements {
		f.Add(tt.source)
	}
	for _, tt := range parseErrors {
		f.Add(tt.source)
	}
	for _, source := range []string{
		"\\set x 1\\\r\n+2\r\n", "select 1\\gset\n\\gset", "-- qbench: a\n--qbench:b", "select 1 -- qbench: x\n", "\\", "\\;", "\\:a", "a\\;\\gset",
		"\\sleep 1\\\nus", "\\shell a\\\\\nb", "\v-- x\n\fselect", "E'\\", "$a$b$a", "U&\"", ":'a", ":{?a", "1e+", "/*/*", "create procedure begin;",
		"select (\\set x 1\n;1);", "\\if 1\n\\if 1\n\\endif\n\\elif :x\n\\endif", "é\\set é :é\n",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s, err := Parse("fuzz", source, NewSymbols())
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Fatalf("script %v and error %q", s, err)
			}
			return
		}
		checkScript(t, s)
	})
}

// FuzzEval: no expression panics, and what String prints has the same value.
func FuzzEval(f *testing.F) {
	for _, source := range []string{
		"1 + 2 * -3", "random(1, 10) > random(1, 10)", "case when :a is null then 1 else ~:a end", "9223372036854775807 * 2",
		"-9223372036854775808 / -1", "1 << 64", "int(1e30)", "permute(:a, 10)", "hash_fnv1a(1.5)", "least(,1,2.0)", "not null and 1", "0.0/0",
		"random_zipfian(1, 9, 1.5)", "random_gaussian(1, 5, 2)", "random_exponential(1, 5, 1e-300)", "pow(-8, 1e10)", "exp(710)", "ln(5e-324)",
	} {
		f.Add(source, "5")
		f.Add(source, "true")
		f.Add(source, "1e308")
	}
	f.Fuzz(func(t *testing.T, source, a string) {
		if strings.ContainsAny(source, "\n\x00") || strings.Contains(strings.ToLower(source), "random_zipfian") && len(source) > 60 {
			return // one line; and a slow distribution nested in itself proves nothing
		}
		syms := NewSymbols()
		s, err := Parse("fuzz", `\set x `+source, syms)
		if err != nil {
			return
		}
		env := newEnv(syms)
		env.Vars.SetText(syms.Intern("a"), []byte(a))
		e := s.Commands[0].Expr
		v, err := e.Eval(env)
		if err == nil && v.Type() == TypeDouble && math.IsNaN(v.Float64()) && v.Truth() != true {
			t.Fatal("NaN is not true")
		}
		checkExpr(t, source)
	})
}
