package pgbench

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes scripts of expressions, conditionals and variables. The
// same seed gives the same script, so that a failure can be run again.
type generator struct {
	r *rand.Rand
	// risky lets expressions fail: overflows, divisions by zero and values of
	// the wrong type end a script early, so most scripts go without.
	risky bool
	// sql lets values make a round trip through the server.
	sql  bool
	nums []string // variables that hold numbers
	ints []string // variables that hold integers
	bits []string // variables that hold booleans
	next int
	// branches is how many \if are open.
	branches int
	out      strings.Builder
}

func newGenerator(seed uint64, risky, sql bool) *generator {
	return &generator{
		r: rand.New(rand.NewPCG(seed, 0)), risky: risky, sql: sql,
		nums: []string{":di", ":dd", ":scale"}, ints: []string{":di", ":client_id", ":scale"}, bits: []string{":dt", ":df"},
	}
}

// generatorDefines are the -D options that the generated scripts rely on.
var generatorDefines = []string{"-Ddi=7", "-Ddd=-2.5", "-Ddt=yes", "-Ddf=of", "-Ddn=null", "-Dds=word"}

// script returns a script of about n commands.
func (g *generator) script(n int) string {
	for range n {
		g.command(2)
	}
	return g.out.String()
}

func (g *generator) command(depth int) {
	switch k := g.r.IntN(10); {
	case k == 0 && depth > 0:
		g.conditional(depth - 1)
	case k == 1 && g.sql:
		g.next++
		fmt.Fprintf(&g.out, "SELECT coalesce(%s::int8, 0) + 1 AS q%d, '::' || 'x::y' AS s%d \\gset\n", g.pick(g.ints), g.next, g.next)
		g.keep(fmt.Sprintf("q%d", g.next), &g.ints)
		fmt.Fprintf(&g.out, "\\set shown debug(:q%d)\n", g.next)
	case k < 5:
		g.assign("i", g.integer(3), &g.ints)
	case k < 8:
		g.assign("n", g.number(3), &g.nums)
	default:
		g.assign("b", g.boolean(3), &g.bits)
	}
}

func (g *generator) assign(prefix, expr string, into *[]string) {
	g.next++
	v := fmt.Sprintf("%s%d", prefix, g.next)
	fmt.Fprintf(&g.out, "\\set %s debug(%s)\n", v, expr)
	g.keep(v, into)
}

// keep lets later expressions use a variable. Inside of a branch it may stay
// unset, which only a risky script may run into.
func (g *generator) keep(v string, into *[]string) {
	if g.risky || g.branches == 0 {
		*into = append(*into, ":"+v)
	}
}

func (g *generator) conditional(depth int) {
	fmt.Fprintf(&g.out, "\\if %s\n", g.boolean(2))
	g.branches++
	defer func() { g.branches-- }()
	body := func() {
		for range g.r.IntN(3) {
			g.command(depth)
		}
	}
	body()
	for range g.r.IntN(3) {
		fmt.Fprintf(&g.out, "\\elif %s\n", g.boolean(2))
		body()
	}
	if g.r.IntN(2) == 0 {
		g.out.WriteString("\\else\n")
		body()
	}
	g.out.WriteString("\\endif\n")
}

func (g *generator) pick(of []string) string { return of[g.r.IntN(len(of))] }

// spread puts an operator between two operands with any blanks.
func (g *generator) spread(a, op, b string) string {
	gap := g.pick([]string{" ", "  ", "\t"})
	return "(" + a + gap + op + gap + b + ")"
}

func (g *generator) integer(depth int) string {
	if depth == 0 {
		switch g.r.IntN(4) {
		case 0:
			return g.pick(g.ints)
		case 1:
			if g.risky {
				return g.pick([]string{"9223372036854775807", "-9223372036854775808", "4611686018427387904", ":dn", ":ds", "true", "0"})
			}
		}
		return fmt.Sprint(g.r.IntN(200))
	}
	a, b := g.integer(depth-1), g.integer(depth-1)
	small := fmt.Sprint(1 + g.r.IntN(40))
	switch g.r.IntN(20) {
	case 0:
		return g.spread(a, "+", b)
	case 1:
		return g.spread(a, "-", b)
	case 2:
		return g.spread(fmt.Sprint(g.r.IntN(1000)), "*", fmt.Sprint(g.r.IntN(1000)))
	case 3:
		if g.risky {
			small = b
		}
		return g.spread(a, g.pick([]string{"/", "%"}), small)
	case 4:
		return g.spread(a, g.pick([]string{"&", "|", "#"}), b)
	case 5:
		return g.spread(fmt.Sprint(g.r.IntN(1000)), g.pick([]string{"<<", ">>"}), fmt.Sprint(g.r.IntN(20)))
	case 6:
		return "(" + g.pick([]string{"-", "~", "+", "- -"}) + a + ")"
	case 7:
		return fmt.Sprintf("abs(%s)", a)
	case 8:
		return fmt.Sprintf("%s(%s, %s, %s)", g.pick([]string{"least", "Greatest"}), a, b, small)
	case 9:
		return fmt.Sprintf("mod(%s, %s)", a, small)
	case 10:
		return fmt.Sprintf("random(%d, %d)", -g.r.IntN(50), g.r.IntN(1<<g.r.IntN(31)))
	case 11:
		return fmt.Sprintf("random_zipfian(1, %d, %d.%d)", 2+g.r.IntN(1000), 1+g.r.IntN(2), 1+g.r.IntN(9))
	case 12:
		return fmt.Sprintf("random_gaussian(-%d, %d, %d.%d)", g.r.IntN(100), g.r.IntN(1000), 2+g.r.IntN(5), g.r.IntN(10))
	case 13:
		return fmt.Sprintf("random_exponential(0, %d, %d.%d)", 1+g.r.IntN(1000), g.r.IntN(5), 1+g.r.IntN(9))
	case 14:
		return fmt.Sprintf("(%s(%s, %d) / 1024 / 1024)", g.pick([]string{"hash", "hash_murmur2", "hash_fnv1a"}), a, g.r.IntN(99))
	case 15:
		return fmt.Sprintf("(hash(%s) / 4194304)", a)
	case 16:
		return fmt.Sprintf("permute(abs(%s), %d)", a, 1+g.r.IntN(5000))
	case 17:
		return fmt.Sprintf("int(%s)", g.pick([]string{"2.5", "-3.5", "0.49999", "1e9", small}))
	case 18:
		return fmt.Sprintf("case when %s then %s when %s then %s else %s end", g.boolean(depth-1), a, g.boolean(depth-1), b, small)
	default:
		return fmt.Sprintf("debug(%s)", a)
	}
}

func (g *generator) number(depth int) string {
	if depth == 0 {
		switch g.r.IntN(4) {
		case 0:
			return g.pick(g.nums)
		case 1:
			return g.integer(0)
		}
		return g.pick([]string{"1.5", ".25", "3.", "1e3", "2.5E-7", "0.1", "123456789.125", "1e-300", "6.02e23"})
	}
	a, b := g.number(depth-1), g.number(depth-1)
	switch g.r.IntN(12) {
	case 0, 1, 2:
		return g.spread(a, g.pick([]string{"+", "-", "*"}), "double("+b+")")
	case 3:
		return g.spread("double("+a+")", "/", b)
	case 4:
		return fmt.Sprintf("sqrt(%s)", a)
	case 5:
		return fmt.Sprintf("ln(abs(%s) + 0.5)", a)
	case 6:
		return fmt.Sprintf("exp(%s / 1e3)", g.integer(0))
	case 7:
		return fmt.Sprintf("%s(%d.5, %s)", g.pick([]string{"pow", "POWER"}), g.r.IntN(9), fmt.Sprint(g.r.IntN(12)-4))
	case 8:
		return fmt.Sprintf("%s(%s, %s)", g.pick([]string{"least", "greatest"}), a, b)
	case 9:
		return "pi() * " + a
	case 10:
		return fmt.Sprintf("(- %s)", a)
	default:
		return fmt.Sprintf("case when %s then %s end", g.boolean(depth-1), a)
	}
}

func (g *generator) boolean(depth int) string {
	if depth == 0 {
		if g.risky && g.r.IntN(4) == 0 {
			return g.pick([]string{"null", ":dn", "1", "0.0", ":nosuch"})
		}
		return g.pick(append([]string{"true", "FALSE"}, g.bits...))
	}
	switch g.r.IntN(10) {
	case 0, 1, 2:
		return g.spread(g.integer(depth-1), g.pick([]string{"<", "<=", "=", "<>", "!=", ">=", ">"}), g.integer(depth-1))
	case 3:
		return g.spread(g.number(depth-1), g.pick([]string{"<", "<=", ">=", ">"}), g.number(depth-1))
	case 4, 5:
		return g.spread(g.boolean(depth-1), g.pick([]string{"and", "OR"}), g.boolean(depth-1))
	case 6:
		return "not " + g.boolean(depth-1)
	case 7:
		return "(" + g.boolean(depth-1) + g.pick([]string{" is true", " is not false", " is null", " isnull", " notnull"}) + ")"
	case 8:
		return "(:dn" + g.pick([]string{" is null", " is not null", " notnull", " is not true"}) + ")"
	default:
		return g.boolean(0)
	}
}
