package script

import "strconv"

// Expr is an expression of \set, \if or \elif. It is immutable and shared by
// all clients.
type Expr interface {
	// Eval returns the expression's value. It allocates nothing unless it
	// fails; errors are in pgbench's words.
	Eval(env *Env) (Value, error)
	// String returns the expression's source, fully parenthesised; parsing
	// it gives the same expression again.
	String() string
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

func (c constant) String() string {
	if c.value.typ == TypeDouble {
		// The shortest digits that give the same double back, and never
		// those of an integer.
		s := strconv.FormatFloat(c.value.Float64(), 'g', -1, 64)
		if looksLikeInt([]byte(s)) {
			s += ".0"
		}
		return s
	}
	return string(c.value.AppendText(nil))
}

func (v *variableRef) String() string { return ":" + v.name }

func (u *unary) String() string {
	if sign := u.op.sign(); sign != "" {
		return sign + operand(u.arg)
	}
	return u.op.name() + "(" + u.arg.String() + ")"
}

func (b *binary) String() string {
	if sign := b.op.sign(); sign != "" {
		return operand(b.left) + " " + sign + " " + operand(b.right)
	}
	return b.op.name() + "(" + b.left.String() + ", " + b.right.String() + ")"
}

func (l *logical) String() string {
	sign := " AND "
	if l.or {
		sign = " OR "
	}
	return operand(l.left) + sign + operand(l.right)
}

func (c *caseExpr) String() string {
	s := "CASE"
	for _, w := range c.whens {
		s += " WHEN " + w.cond.String() + " THEN " + w.then.String()
	}
	return s + " ELSE " + c.without.String() + " END"
}

func (c *call) String() string {
	s := c.fn.name + "("
	for i, arg := range c.args {
		if i > 0 {
			s += ", "
		}
		s += arg.String()
	}
	return s + ")"
}

// operand puts parentheses around whatever an operator could tear apart.
func operand(e Expr) string {
	s := e.String()
	switch x := e.(type) {
	case *logical:
		return "(" + s + ")"
	case *unary:
		if x.op.sign() != "" {
			return "(" + s + ")"
		}
	case *binary:
		if x.op.sign() != "" {
			return "(" + s + ")"
		}
	case constant:
		if s[0] == '-' {
			return "(" + s + ")"
		}
	}
	return s
}
