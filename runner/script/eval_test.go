package script

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files from the results")

// newEnv is a first client's environment under --random-seed=5432: pgbench
// draws the seed of each client and then default_seed from one generator.
func newEnv(syms *Symbols) *Env {
	base := NewRand(5432)
	r := NewRand(base.Uint64())
	vars := NewVars(syms)
	vars.Set(syms.Intern("client_id"), Int(0))
	vars.Set(syms.Intern("default_seed"), Int(int64(base.Uint64())))
	vars.Set(syms.Intern("random_seed"), Int(5432))
	vars.Set(syms.Intern("scale"), Int(1))
	return &Env{Vars: vars, Rand: &r}
}

// exprOf is the expression of \set x SOURCE.
func exprOf(t testing.TB, source string) (Expr, *Symbols) {
	t.Helper()
	s, syms := mustParse(t, `\set x `+source)
	return s.Commands[0].Expr, syms
}

func evalText(e Expr, env *Env) string {
	v, err := e.Eval(env)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(v.AppendDebug(nil))
}

// TestExpressions compares with what the real pgbench gave for each line.
func TestExpressions(t *testing.T) {
	t.Parallel()
	const file = "testdata/expressions.golden"
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(golden), "\n")
	for i, line := range lines {
		source, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		e, syms := exprOf(t, source)
		got := evalText(e, newEnv(syms))
		lines[i] = source + "\t" + got + "\n"
		if got != want && !*update {
			t.Errorf("%s = %s, want %s", source, got, want)
		}
		// What String prints must mean the same.
		again, syms := exprOf(t, e.String())
		if got := evalText(again, newEnv(syms)); got != want && !*update {
			t.Errorf("%s, printed as %s, = %s, want %s", source, e, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOwnErrors is where pgbench misbehaves: it reads a boolean's bits as a
// double, and loops for ever.
func TestOwnErrors(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"abs(true)":                        "error: cannot coerce boolean to double",
		"random_zipfian(1, 9, 0.0/0)":      "error: zipfian parameter must be in range [1.001, 1000] (not NaN)",
		"random_gaussian(1, 9, 0.0/0)":     "error: gaussian parameter must be at least 2.000000 (not NaN)",
		"random_exponential(1, 9, -0.0/0)": "error: exponential parameter must be greater than zero (not NaN)",
	} {
		e, syms := exprOf(t, source)
		if got := evalText(e, newEnv(syms)); got != want {
			t.Errorf("%s = %s, want %s", source, got, want)
		}
	}
}

func TestExprString(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"1+2*3":                              "1 + (2 * 3)",
		"-9223372036854775808 + -1":          "(-9223372036854775808) + (- 1)",
		"not :a isnull and :b notnull or 1":  "((NOT (:a IS NULL)) AND (NOT (:b IS NULL))) OR 1",
		"hash(1)":                            "hash_murmur2(1, :default_seed)",
		"permute(1,2)":                       "permute(1, 2, :default_seed)",
		"case when 1 then 2 end":             "CASE WHEN 1 THEN 2 ELSE NULL END",
		"5.0 + 1e21 - .5e-7":                 "(5.0 + 1e+21) - 5e-08",
		"a":                                  "",
		"1 is not true":                      "NOT (1 IS true)",
		"least(-1, ~2, pi()) > debug(1 # 1)": "least(- 1, ~ 2, pi()) > debug(1 # 1)",
	} {
		s, err := Parse("case", `\set x `+source, NewSymbols())
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", source)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		} else if got := s.Commands[0].Expr.String(); got != want {
			t.Errorf("%s prints as %s, want %s", source, got, want)
		}
	}
}

func TestDebugGetsPlace(t *testing.T) {
	t.Parallel()
	e, syms := exprOf(t, "debug(debug(1) > debug(NULL))")
	env := newEnv(syms)
	env.ScriptIndex, env.CommandIndex = 3, 4
	got := ""
	env.Debug = func(script, command int, v Value) {
		if script != 3 || command != 4 {
			t.Errorf("script %d, command %d", script, command)
		}
		got += string(v.AppendDebug(nil)) + ";"
	}
	if _, err := e.Eval(env); err != nil {
		t.Fatal(err)
	}
	if want := "null;int 1;null;"; got != want { // > takes its right side first
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEvalCondition(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"true": "true", "false": "false", "0": "false", "-1": "true", "0.0": "false", "0.1": "true",
		"NULL": "false", "0.0/0": "true", "1/0": "division by zero", ":nosuch": `undefined variable "nosuch"`,
	} {
		e, syms := exprOf(t, source)
		holds, err := EvalCondition(e, newEnv(syms))
		got := "false"
		if holds {
			got = "true"
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

const allocExpr = `case when :v > 5 and :f < 1.0 then permute(random(1, 100), 100) + abs(-3)
	else least(1, 2, random_gaussian(1, 100, 2.5), random_zipfian(1, 10, 1.5), random_exponential(1, 9, 2)) % 7 end
	+ hash(:v) & 255`

func allocEnv(t testing.TB) (Expr, *Env) {
	e, syms := exprOf(t, strings.ReplaceAll(allocExpr, "\n", "\\\n"))
	env := newEnv(syms)
	env.Vars.SetText(syms.Intern("v"), []byte("3"))
	env.Vars.SetText(syms.Intern("f"), []byte("0.5"))
	return e, env
}

func TestEvalDoesNotAllocate(t *testing.T) {
	e, env := allocEnv(t)
	if _, err := e.Eval(env); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = e.Eval(env) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEval(b *testing.B) {
	for name, source := range map[string]string{
		"arithmetic":  "(:x + 1) * 3 % 1000",
		"random":      "random(1, 100000)",
		"gaussian":    "random_gaussian(1, 100000, 3)",
		"exponential": "random_exponential(1, 100000, 3)",
		"zipfian":     "random_zipfian(1, 100000, 1.2)",
		"hash":        "hash(:x)",
	} {
		b.Run(name, func(b *testing.B) {
			e, syms := exprOf(b, source)
			env := newEnv(syms)
			env.Vars.Set(syms.Intern("x"), Int(42))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Eval(env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
