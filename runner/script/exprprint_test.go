package script

import (
	"testing"

	"pgregory.net/rapid"
)

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
