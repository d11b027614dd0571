package script

import (
	"math"
	"strconv"
)

// Expr is an expression of \set, \if or \elif. It is immutable and shared by
// all clients.
type Expr interface {
	// Eval returns the expression's value. It allocates nothing unless it
	// fails; errors are in pgbench's words.
	Eval(env *Env) (Value, error)
	// String returns the expression's source, fully parenthesised; parsing
	// it gives the same expression again.
	String() string

	appendTo(dst []byte) []byte // String
}

// Env is what an expression needs from the client it runs for.
type Env struct {
	Vars *Vars
	Rand *Rand
	// Debug is called by the debug function with the indexes below, just as
	// they are, and the value. pgbench prints the command's counted from 1:
	// "debug(script=0,command=1): " and AppendDebug's text. It may be nil.
	Debug func(script, command int, v Value)
	// ScriptIndex and CommandIndex are the client's place: they are not
	// used here, only handed to Debug.
	ScriptIndex, CommandIndex int
}

// EvalCondition returns whether \if or \elif takes its branch: the value is
// TRUE or a number other than zero. NULL does not hold and is no error.
func EvalCondition(e Expr, env *Env) (bool, error) {
	v, err := e.Eval(env)
	return err == nil && v.Truth(), err
}

type constant struct{ value Value }

func (c constant) Eval(*Env) (Value, error) { return c.value, nil }

type variableRef struct {
	name string
	slot int
}

func (v *variableRef) Eval(env *Env) (Value, error) { return env.Vars.Value(v.slot) }

// unary is an operator or function of one argument.
type unary struct {
	op  op
	arg Expr
}

func (u *unary) Eval(env *Env) (Value, error) {
	v, err := u.arg.Eval(env)
	if err != nil {
		return Value{}, err
	}
	if u.op == opDebug {
		if env.Debug != nil {
			env.Debug(env.ScriptIndex, env.CommandIndex, v)
		}
		return v, nil
	}
	if v.typ == TypeNull {
		return v, nil
	}
	return evalUnary(u.op, v)
}

// binary is an operator or function of two arguments.
type binary struct {
	op          op
	left, right Expr
}

func (b *binary) Eval(env *Env) (Value, error) {
	first, second := b.left, b.right
	if b.op == opGt || b.op == opGe {
		// pgbench has only < and <=, with the operands exchanged; with a
		// random function on both sides the order shows.
		first, second = second, first
	}
	x, err := first.Eval(env)
	if err != nil {
		return Value{}, err
	}
	y, err := second.Eval(env)
	if err != nil {
		return Value{}, err
	}
	if b.op == opIs {
		return Bool(x == y), nil
	}
	if x.typ == TypeNull || y.typ == TypeNull {
		return Null(), nil
	}
	switch b.op {
	case opGt:
		return evalBinary(opLt, x, y)
	case opGe:
		return evalBinary(opLe, x, y)
	}
	return evalBinary(b.op, x, y)
}

// logical is AND or OR. The right side is evaluated only if the left one
// leaves the result open; NULL on the left is the result, unlike in SQL.
type logical struct {
	or          bool
	left, right Expr
}

func (l *logical) Eval(env *Env) (Value, error) {
	for _, side := range [...]Expr{l.left, l.right} {
		v, err := side.Eval(env)
		if err != nil || v.typ == TypeNull {
			return Null(), err
		}
		b, err := v.toBool()
		if err != nil {
			return Value{}, err
		}
		if b == l.or {
			return v, nil
		}
	}
	return Bool(!l.or), nil
}

// caseExpr is CASE WHEN … END. without holds NULL if there is no ELSE.
type caseExpr struct {
	whens   []when
	without Expr
}

type when struct{ cond, then Expr }

func (c *caseExpr) Eval(env *Env) (Value, error) {
	for i := range c.whens {
		holds, err := EvalCondition(c.whens[i].cond, env)
		if err != nil {
			return Value{}, err
		}
		if holds {
			return c.whens[i].then.Eval(env)
		}
	}
	return c.without.Eval(env)
}

// call is a function of another number of arguments, or one that needs more
// than their values.
type call struct {
	fn   *function
	args []Expr
}

// maxFunctionArgs is pgbench's MAX_FARGS. Only least and greatest can exceed
// it, and only running the script shows it.
const maxFunctionArgs = 16

func (c *call) Eval(env *Env) (Value, error) {
	var args [maxFunctionArgs]Value
	null := false
	for i, arg := range c.args {
		if i == maxFunctionArgs {
			return Value{}, errTooManyArgs
		}
		v, err := arg.Eval(env)
		if err != nil {
			return Value{}, err
		}
		args[i] = v
		null = null || v.typ == TypeNull
	}
	if null {
		return Null(), nil
	}
	return evalCall(c.fn.op, env, args[:len(c.args)])
}

func (c constant) String() string     { return string(c.appendTo(nil)) }
func (v *variableRef) String() string { return string(v.appendTo(nil)) }
func (u *unary) String() string       { return string(u.appendTo(nil)) }
func (b *binary) String() string      { return string(b.appendTo(nil)) }
func (l *logical) String() string     { return string(l.appendTo(nil)) }
func (c *caseExpr) String() string    { return string(c.appendTo(nil)) }
func (c *call) String() string        { return string(c.appendTo(nil)) }

func (c constant) appendTo(dst []byte) []byte {
	if c.value.typ != TypeDouble {
		return c.value.AppendText(dst)
	}
	// The shortest digits that give the same double back, and never those
	// of an integer.
	start := len(dst)
	dst = strconv.AppendFloat(dst, c.value.Float64(), 'g', -1, 64)
	if looksLikeInt(dst[start:]) {
		dst = append(dst, ".0"...)
	}
	return dst
}

func (v *variableRef) appendTo(dst []byte) []byte {
	return append(append(dst, ':'), v.name...)
}

func (u *unary) appendTo(dst []byte) []byte {
	if sign := u.op.sign(); sign != "" {
		return appendOperand(append(dst, sign...), u.arg)
	}
	return appendCall(dst, u.op.name(), u.arg)
}

func (b *binary) appendTo(dst []byte) []byte {
	if sign := b.op.sign(); sign != "" {
		return appendInfix(dst, b.left, sign, b.right)
	}
	return appendCall(dst, b.op.name(), b.left, b.right)
}

func (l *logical) appendTo(dst []byte) []byte {
	sign := "AND"
	if l.or {
		sign = "OR"
	}
	return appendInfix(dst, l.left, sign, l.right)
}

func (c *caseExpr) appendTo(dst []byte) []byte {
	dst = append(dst, "CASE"...)
	for _, w := range c.whens {
		dst = w.cond.appendTo(append(dst, " WHEN "...))
		dst = w.then.appendTo(append(dst, " THEN "...))
	}
	dst = c.without.appendTo(append(dst, " ELSE "...))
	return append(dst, " END"...)
}

func (c *call) appendTo(dst []byte) []byte { return appendCall(dst, c.fn.name, c.args...) }

func appendCall(dst []byte, name string, args ...Expr) []byte {
	dst = append(append(dst, name...), '(')
	for i, arg := range args {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = arg.appendTo(dst)
	}
	return append(dst, ')')
}

func appendInfix(dst []byte, left Expr, sign string, right Expr) []byte {
	dst = append(appendOperand(dst, left), ' ')
	dst = append(append(dst, sign...), ' ')
	return appendOperand(dst, right)
}

// appendOperand puts parentheses around whatever an operator could tear
// apart.
func appendOperand(dst []byte, e Expr) []byte {
	bare := true
	switch x := e.(type) {
	case *logical:
		bare = false
	case *unary:
		bare = x.op.sign() == ""
	case *binary:
		bare = x.op.sign() == ""
	case constant:
		bare = x.value != Int(math.MinInt64) // the only negative one
	}
	if bare {
		return e.appendTo(dst)
	}
	return append(e.appendTo(append(dst, '(')), ')')
}
