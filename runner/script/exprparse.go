package script

import "math"

// Binding strengths of the operators, weakest first, as in pgbench's grammar
// (exprparse.y), which took them from SQL's.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindIs
	bindCompare // not associative: a < b < c is an error
	bindBits
	bindSum
	bindProduct
	bindUnary
)

var binaryOps = map[token]struct {
	bind int
	op   op
}{
	tokEq: {bindCompare, opEq}, tokNe: {bindCompare, opNe}, tokLt: {bindCompare, opLt},
	tokLe: {bindCompare, opLe}, tokGt: {bindCompare, opGt}, tokGe: {bindCompare, opGe},
	tokAmpersand: {bindBits, opBitAnd}, tokPipe: {bindBits, opBitOr}, tokHash: {bindBits, opBitXor},
	tokShiftLeft: {bindBits, opShiftLeft}, tokShiftRight: {bindBits, opShiftRight},
	tokPlus: {bindSum, opAdd}, tokMinus: {bindSum, opSub},
	tokStar: {bindProduct, opMul}, tokSlash: {bindProduct, opDiv}, tokPercent: {bindProduct, opMod},
}

// maxDepth bounds nesting, as the stack of pgbench's generated parser does.
const maxDepth = 10000

// exprParser is a precedence-climbing parser. It reads a token only when it
// must: where pgbench complains is the end of the last token read.
type exprParser struct {
	lex    *metaLexer
	syms   *Symbols
	tok    lexeme
	peeked bool
	depth  int
}

// parseExpr reads an expression up to the end of the line.
func parseExpr(lex *metaLexer, syms *Symbols) (Expr, *Error) {
	p := &exprParser{lex: lex, syms: syms}
	e, err := p.expr(bindOr)
	if err != nil {
		return nil, err
	}
	if tok, err := p.peek(); err != nil || tok != tokEnd {
		return nil, p.unexpected(err)
	}
	return e, nil
}

// peek returns the next token without consuming it.
func (p *exprParser) peek() (token, *Error) {
	if !p.peeked {
		tok, bad := p.lex.next()
		if bad != nil {
			return tokEnd, p.fail(bad.msg, bad.more)
		}
		p.tok, p.peeked = tok, true
	}
	return p.tok.tok, nil
}

func (p *exprParser) take() (lexeme, *Error) {
	_, err := p.peek()
	p.peeked = false
	return p.tok, err
}

func (p *exprParser) expect(want token) *Error {
	tok, err := p.peek()
	if err != nil || tok != want {
		return p.unexpected(err)
	}
	p.peeked = false
	return nil
}

// unexpected is a syntax error at the token just read, unless reading it
// failed already.
func (p *exprParser) unexpected(err *Error) *Error {
	if err != nil {
		return err
	}
	return p.fail("syntax error", "")
}

// fail reports a mistake at the end of the last token. To quote the whole
// line pgbench reads on to its end, and if it meets something there that is
// no token, it reports that instead: the last such thing wins.
func (p *exprParser) fail(msg, more string) *Error {
	column := p.lex.pos - p.lex.start
	for !p.lex.ended {
		tok, bad := p.lex.next()
		if bad != nil {
			msg, more = bad.msg, bad.more
			column = p.lex.pos - p.lex.start
		} else if tok.tok == tokEnd {
			break
		}
	}
	return p.lex.errorAt(msg, more, column)
}

// expr parses operators that bind at least as strongly as min.
func (p *exprParser) expr(min int) (Expr, *Error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, p.fail("memory exhausted", "")
	}
	left, err := p.primary()
	for err == nil {
		var tok token
		if tok, err = p.peek(); err != nil {
			break
		}
		switch tok {
		case tokOr, tokAnd:
			bind := bindAnd
			if tok == tokOr {
				bind = bindOr
			}
			if bind < min {
				return left, nil
			}
			p.peeked = false
			var right Expr
			right, err = p.expr(bind + 1)
			left = &logical{tok == tokOr, left, right}
		case tokIs, tokIsNull, tokNotNull:
			if bindIs < min {
				return left, nil
			}
			p.peeked = false
			left, err = p.is(left, tok)
		default:
			o, ok := binaryOps[tok]
			if !ok || o.bind < min {
				return left, nil
			}
			p.peeked = false
			var right Expr
			if right, err = p.expr(o.bind + 1); err == nil && o.bind == bindCompare {
				err = p.endComparison()
			}
			left = &binary{o.op, left, right}
		}
	}
	return nil, err
}

// endComparison refuses a second comparison after the first.
func (p *exprParser) endComparison() *Error {
	tok, err := p.peek()
	if err != nil || binaryOps[tok].bind == bindCompare {
		return p.unexpected(err)
	}
	return nil
}

// is parses what may follow IS, and the two words that contain it.
func (p *exprParser) is(left Expr, tok token) (Expr, *Error) {
	not := tok == tokNotNull
	what := Null()
	if tok == tokIs {
		next, err := p.peek()
		if err == nil && next == tokNot {
			not = true
			p.peeked = false
			next, err = p.peek()
		}
		switch {
		case err != nil:
			return nil, err
		case next == tokTrue || next == tokFalse:
			what = Bool(next == tokTrue)
		case next != tokNull:
			return nil, p.unexpected(nil)
		}
		p.peeked = false
	}
	var e Expr = &binary{opIs, left, constant{what}}
	if not {
		e = &unary{opNot, e}
	}
	return e, nil
}

// primary parses an operand with the operators before it.
func (p *exprParser) primary() (Expr, *Error) {
	t, err := p.take()
	if err != nil {
		return nil, err
	}
	switch t.tok {
	case tokInt, tokDouble:
		return constant{t.value}, nil
	case tokTrue, tokFalse:
		return constant{Bool(t.tok == tokTrue)}, nil
	case tokNull:
		return constant{Null()}, nil
	case tokVariable:
		return p.variable(t.text), nil
	case tokFunction:
		return p.call(t.text)
	case tokCase:
		return p.caseExpr()
	case tokOpen:
		e, err := p.expr(bindOr)
		if err == nil {
			err = p.expect(tokClose)
		}
		return e, err
	case tokPlus:
		return p.expr(bindUnary)
	case tokMinus:
		if tok, err := p.peek(); err == nil && tok == tokMinInt {
			p.peeked = false
			return constant{Int(math.MinInt64)}, nil
		}
		return p.prefix(opNeg, bindUnary)
	case tokTilde:
		// ~ binds like the other bit operators: ~1 + 2 is ~(1 + 2).
		return p.prefix(opBitNot, bindBits+1)
	case tokNot:
		return p.prefix(opNot, bindNot)
	}
	return nil, p.fail("syntax error", "")
}

func (p *exprParser) prefix(o op, min int) (Expr, *Error) {
	arg, err := p.expr(min)
	return &unary{o, arg}, err
}

func (p *exprParser) variable(name string) Expr {
	return &variableRef{name, p.syms.Intern(name)}
}

func (p *exprParser) call(name string) (Expr, *Error) {
	f, ok := findFunction(name)
	if !ok {
		return nil, p.fail("unexpected function name", name)
	}
	if err := p.expect(tokOpen); err != nil {
		return nil, err
	}
	args, err := p.args()
	if err != nil {
		return nil, err
	}
	if msg := f.checkCount(len(args)); msg != "" {
		return nil, p.fail(msg, f.name)
	}
	if f.takesSeed() && len(args) == f.min {
		args = append(args, p.variable("default_seed"))
	}
	return f.apply(args), nil
}

// args parses the arguments of a call and the closing parenthesis. The
// grammar lets the list begin with a comma, its empty case being a list.
func (p *exprParser) args() ([]Expr, *Error) {
	var args []Expr
	tok, err := p.peek()
	if err == nil && tok != tokClose && tok != tokComma {
		var first Expr
		first, err = p.expr(bindOr)
		args = append(args, first)
	}
	for err == nil {
		if tok, err = p.peek(); err != nil || tok != tokComma {
			break
		}
		p.peeked = false
		var arg Expr
		arg, err = p.expr(bindOr)
		args = append(args, arg)
	}
	if err == nil {
		err = p.expect(tokClose)
	}
	return args, err
}

func (p *exprParser) caseExpr() (Expr, *Error) {
	c := &caseExpr{without: constant{Null()}}
	for {
		if err := p.expect(tokWhen); err != nil {
			return nil, err
		}
		cond, err := p.expr(bindOr)
		if err == nil {
			err = p.expect(tokThen)
		}
		if err != nil {
			return nil, err
		}
		then, err := p.expr(bindOr)
		if err != nil {
			return nil, err
		}
		c.whens = append(c.whens, when{cond, then})
		tok, err := p.peek()
		if err != nil {
			return nil, err
		}
		if tok == tokWhen {
			continue
		}
		if tok == tokElse {
			p.peeked = false
			if c.without, err = p.expr(bindOr); err != nil {
				return nil, err
			}
		}
		return c, p.expect(tokEndCase)
	}
}
