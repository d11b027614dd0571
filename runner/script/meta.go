package script

import (
	"fmt"
	"strings"
)

// maxArgs is the number of words of a backslash command, and of a statement's
// text and parameters together, that pgbench has room for (MAX_ARGS).
const maxArgs = 256

// metaKind is a Kind or one of the two that end up in an SQL command.
type metaKind struct {
	kind  Kind
	store Store
}

var metaKinds = map[string]metaKind{
	"set":           {kind: Set},
	"if":            {kind: If},
	"elif":          {kind: Elif},
	"else":          {kind: Else},
	"endif":         {kind: Endif},
	"sleep":         {kind: Sleep},
	"setshell":      {kind: SetShell},
	"shell":         {kind: Shell},
	"startpipeline": {kind: StartPipeline},
	"syncpipeline":  {kind: SyncPipeline},
	"endpipeline":   {kind: EndPipeline},
	"gset":          {store: Gset},
	"aset":          {store: Aset},
}

// metaCommand reads the backslash command whose backslash the SQL lexer has
// just read.
func (p *parser) metaCommand() error {
	lex := &metaLexer{src: p.script.Source, file: p.script.Name, start: p.sql.pos - 1, pos: p.sql.pos}
	lex.line = p.lineOf(lex.start)
	defer func() { p.sql.pos = lex.pos }()

	name, ok := lex.word()
	if !ok {
		return nil
	}
	lex.name = name
	meta, known := metaKinds[strings.ToLower(name)]
	c := Command{Kind: meta.kind, Line: lex.line, Name: name}
	var err *Error
	switch {
	case known && meta.store == NoStore && (c.Kind == Set || c.Kind == If || c.Kind == Elif):
		err = p.exprCommand(lex, &c)
	default:
		var words []metaWord
		if words, err = collectWords(lex); err != nil {
			break
		}
		c.Text = lex.text()
		switch {
		case !known:
			err = lex.errorAt("invalid command", "", 0)
		case meta.store != NoStore:
			return p.storeCommand(lex, meta.store, words)
		default:
			err = p.wordCommand(lex, &c, words)
		}
	}
	if err != nil {
		return err
	}
	p.add(c)
	return nil
}

// metaWord is a word with the column pgbench gives it, counted from 1 at the
// backslash.
type metaWord struct {
	text   string
	column int
}

func collectWords(lex *metaLexer) ([]metaWord, *Error) {
	var words []metaWord
	for {
		word, ok := lex.word()
		if !ok {
			return words, nil
		}
		if len(words) == maxArgs-1 {
			return nil, lex.error("too many arguments")
		}
		words = append(words, metaWord{word, lex.pos - len(word) - lex.start + 1})
	}
}

// exprCommand reads the rest of \set, \if or \elif.
func (p *parser) exprCommand(lex *metaLexer, c *Command) *Error {
	if c.Kind == Set {
		name, ok := lex.word()
		if !ok {
			return lex.error("missing argument")
		}
		c.Slot = p.syms.Intern(name)
		c.badName = badName(lex, name)
	}
	var err *Error
	c.Expr, err = parseExpr(lex, p.syms)
	c.Text = lex.text()
	return err
}

// CheckNames returns an error for the first command that sets a variable whose
// name is invalid. Without it such a command fails when it runs, as in pgbench.
func (s *Script) CheckNames() error {
	for i := range s.Commands {
		if err := s.Commands[i].badName; err != nil {
			return err
		}
	}
	return nil
}

// BadName returns the name that a command cannot set because no variable can
// have it, or "".
func (c *Command) BadName() string {
	if c.badName == nil {
		return ""
	}
	return c.badName.More
}

// badName is the error of a name that no variable can have. pgbench notices it
// only when the command runs; see CheckNames.
func badName(lex *metaLexer, name string) *Error {
	if ValidName(name) {
		return nil
	}
	e := lex.error("invalid variable name")
	e.More = name
	return e
}

// wordCommand checks the words of the commands that have no expression.
func (p *parser) wordCommand(lex *metaLexer, c *Command, words []metaWord) *Error {
	switch c.Kind {
	case Sleep:
		var err *Error
		if words, err = sleepWords(lex, words); err != nil {
			return err
		}
		c.Args = p.args(words, sleepArg)
	case SetShell:
		if len(words) < 2 {
			return lex.errorAt("missing argument", "", 0)
		}
		name := words[0].text
		c.badName = badName(lex, name)
		c.Slot = p.syms.Intern(name)
		c.Args = p.args(words[1:], shellArg)
	case Shell:
		if len(words) == 0 {
			return lex.errorAt("missing command", "", 0)
		}
		c.Args = p.args(words, shellArg)
	default:
		if len(words) > 0 {
			return lex.errorAt("unexpected argument", "", 0)
		}
	}
	return nil
}

// sleepWords checks the arguments of \sleep and splits "1ms" in two.
func sleepWords(lex *metaLexer, words []metaWord) ([]metaWord, *Error) {
	switch {
	case len(words) == 0:
		return nil, lex.errorAt("missing argument", "", 0)
	case len(words) > 2:
		return nil, lex.errorAt("too many arguments", "", words[2].column)
	}
	number := words[0]
	if !strings.HasPrefix(number.text, ":") {
		digits := number.text
		if digits[0] == '+' || digits[0] == '-' {
			digits = digits[1:]
		}
		n := digitsLen(digits)
		rest := digits[n:]
		switch {
		case rest == "":
		case n > 0 && len(words) == 1:
			cut := len(number.text) - len(rest)
			words = []metaWord{{number.text[:cut], number.column}, {rest, number.column + cut}}
		default:
			return nil, lex.errorAt("invalid sleep time, must be an integer", number.text, number.column)
		}
	}
	if len(words) == 2 {
		if _, ok := sleepUnits[strings.ToLower(words[1].text)]; !ok {
			return nil, lex.errorAt("unrecognized time unit, must be us, ms or s", words[1].text, words[1].column)
		}
	}
	return words, nil
}

func (p *parser) args(words []metaWord, parse func(word string) (Arg, bool)) []Arg {
	args := make([]Arg, 0, len(words))
	for _, w := range words {
		arg, variable := parse(w.text)
		arg.Slot = -1
		if variable {
			arg.Slot = p.syms.Intern(arg.Name)
		}
		args = append(args, arg)
	}
	return args
}

func sleepArg(word string) (arg Arg, variable bool) {
	if name, ok := strings.CutPrefix(word, ":"); ok {
		return Arg{Name: name}, true
	}
	return Arg{Literal: word}, false
}

// shellArg reads a word of a command line: ":name" is a variable, and of two
// or more colons at the start the first goes away.
func shellArg(word string) (arg Arg, variable bool) {
	rest, ok := strings.CutPrefix(word, ":")
	switch {
	case !ok:
		return Arg{Literal: word}, false
	case strings.HasPrefix(rest, ":"):
		return Arg{Literal: rest}, false
	}
	return Arg{Name: rest}, true
}

// storeCommand merges \gset or \aset into the SQL command before it.
func (p *parser) storeCommand(lex *metaLexer, store Store, words []metaWord) error {
	if len(words) > 1 {
		return lex.errorAt("too many arguments", "", 0)
	}
	// The words are pgbench's, for \aset too.
	e := lex.error(`\gset must follow an SQL command`)
	e.Command = ""
	n := len(p.script.Commands)
	if n == 0 {
		return e
	}
	c := &p.script.Commands[n-1]
	if c.Kind != SQL || c.Store != NoStore {
		if c.Kind != SQL {
			e.More = c.Text
		}
		return e
	}
	c.Store = store
	if len(words) == 1 {
		c.Prefix = words[0].text
	}
	return nil
}

// linkConditionals checks the nesting of \if … \endif and sets where each
// condition jumps to.
func (p *parser) linkConditionals() error {
	commands := p.script.Commands
	// Each level holds the indexes of its \if, \elif and \else so far.
	var levels [][]int
	fail := func(i int, msg string) error {
		line := commands[min(i, len(commands)-1)].Line
		return p.wholeError(line, fmt.Sprintf("condition error in script \"%s\" command %d: %s", p.script.Name, i+1, msg))
	}
	for i := range commands {
		kind := commands[i].Kind
		if kind == If {
			levels = append(levels, []int{i})
			continue
		}
		if kind != Elif && kind != Else && kind != Endif {
			continue
		}
		word := [...]string{Elif: `\elif`, Else: `\else`, Endif: `\endif`}[kind]
		if len(levels) == 0 {
			return fail(i, word+` without matching \if`)
		}
		level := &levels[len(levels)-1]
		last := &commands[(*level)[len(*level)-1]]
		if last.Kind == Else && kind != Endif {
			return fail(i, word+` after \else`)
		}
		if last.Kind != Else {
			last.Else = i
		}
		if kind != Endif {
			*level = append(*level, i)
			continue
		}
		for _, j := range *level {
			commands[j].End = i
		}
		levels = levels[:len(levels)-1]
	}
	if len(levels) > 0 {
		return fail(len(commands), `\if without matching \endif`)
	}
	return nil
}
