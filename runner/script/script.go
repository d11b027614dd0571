package script

import (
	"fmt"
	"strings"
)

// Script is a parsed script. It does not change and may be shared.
type Script struct {
	Name     string // as given to Parse; pgbench prints it as the description
	Source   string
	Commands []Command
	Notes    []Note
}

// Note is a comment line of the form "-- qbench: TEXT".
type Note struct {
	Text    string // without surrounding blanks
	Line    int    // 1-based line of the comment
	Column  int    // 1-based byte column where Text starts
	Command int    // index of the command that follows, len(Commands) if none
}

// Kind is what a command does.
type Kind uint8

// The kinds of commands. \gset and \aset are none: they belong to the SQL
// command before them.
const (
	SQL Kind = iota
	Set
	If
	Elif
	Else
	Endif
	Sleep
	SetShell
	Shell
	StartPipeline
	SyncPipeline
	EndPipeline
)

// Store is what an SQL command does with its result.
type Store uint8

// The ways to store a result in variables.
const (
	NoStore Store = iota
	Gset          // \gset: the last statement's one row
	Aset          // \aset: the last row, if any, of every statement
)

// Command is one command of a script.
type Command struct {
	Kind Kind
	Line int    // 1-based line of Source where the command starts
	Name string // the backslash command's word as written, empty for SQL
	Text string // what pgbench's -r lists: of SQL the first line, at most 127 bytes

	// Pieces are the text of an SQL command as pgbench sends it, trailing
	// semicolon included, cut where variables stand in it.
	Pieces []Piece
	Store  Store
	Prefix string // of the variables that \gset or \aset sets

	Slot int   // \set, \setshell: the variable to set
	Expr Expr  // \set, \if, \elif
	Args []Arg // \sleep: number and unit; \shell, \setshell: the words

	// Else is, for \if and \elif, the index of the next \elif, \else or
	// \endif of the same level. End is, for these and \else, the index of the
	// \endif. They make a stack at run time unnecessary: a condition that
	// fails goes to Else and, finding an \elif there, tests it; an \elif or
	// \else that is reached in sequence follows a branch taken and goes to End.
	Else, End int

	badName *Error // \set, \setshell: why no variable can have that name; nil if it can
}

// Piece is a part of an SQL command: literal text or a variable's use.
type Piece struct {
	Literal string // the text; for a variable, empty
	Slot    int    // of the variable, -1 for literal text
	Name    string // of the variable
}

// Arg is a word after a backslash command: literal text or a variable.
type Arg struct {
	Literal string // the text; for a variable, empty
	Slot    int    // of the variable, -1 for literal text
	Name    string // of the variable
}

// Parse reads a script. The name is the file's as the user gave it and goes
// into messages; the names of variables go into syms. A mistake is an *Error.
func Parse(name, source string, syms *Symbols) (*Script, error) {
	p := &parser{
		script: &Script{Name: name, Source: source},
		syms:   syms,
		sql:    sqlLexer{src: source},
	}
	p.sql.onComment = p.comment
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.script, nil
}

type parser struct {
	script *Script
	syms   *Symbols
	sql    sqlLexer
	err    *Error // of a comment

	linePos, line int // line is the 0-based line of the offset linePos
}

func (p *parser) parse() error {
	if i := strings.IndexByte(p.script.Source, 0); i >= 0 {
		// pgbench takes a NUL for the end and silently drops the rest.
		return &Error{File: p.script.Name, Line: p.lineOf(i), Msg: "script contains a NUL byte"}
	}
	for {
		end := p.sql.next()
		if p.err != nil {
			return p.err
		}
		p.addSQL()
		if end == endOfText {
			break
		}
		if end == endBackslash {
			if err := p.metaCommand(); err != nil {
				return err
			}
		}
	}
	if len(p.script.Commands) == 0 {
		return p.wholeError(1, fmt.Sprintf("empty command list for script \"%s\"", p.script.Name))
	}
	return p.linkConditionals()
}

// lineOf returns the 1-based line of an offset. Offsets mostly grow, so it
// counts from the last one.
func (p *parser) lineOf(offset int) int {
	if offset < p.linePos {
		p.linePos, p.line = 0, 0
	}
	p.line += strings.Count(p.script.Source[p.linePos:offset], "\n")
	p.linePos = offset
	return p.line + 1
}

func (p *parser) wholeError(line int, msg string) *Error {
	return &Error{File: p.script.Name, Line: line, Msg: msg, whole: true}
}

func (p *parser) add(c Command) { p.script.Commands = append(p.script.Commands, c) }

func (p *parser) addSQL() {
	if len(p.sql.out) == 0 {
		return
	}
	text := string(p.sql.out)
	p.add(Command{
		Kind:   SQL,
		Line:   p.lineOf(p.sql.start),
		Text:   firstLine(text),
		Pieces: pieces(text, p.syms),
	})
}

// maxFirstLine is how much of a statement pgbench's reports show, in bytes.
const maxFirstLine = 127

func firstLine(text string) string {
	text = text[:min(len(text), maxFirstLine)]
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	return text
}

// pieces cuts a statement at its variables. As in pgbench quotes do not
// count, and a colon that starts no name lets those right behind it pass,
// so that x::int is a cast.
func pieces(text string, syms *Symbols) []Piece {
	var out []Piece
	literal := 0
	for i := 0; i < len(text); {
		switch {
		case text[i] != ':':
			i++
		case i+1 < len(text) && isNameStart(text[i+1]):
			if literal < i {
				out = append(out, Piece{Literal: text[literal:i], Slot: -1})
			}
			name := text[i+1 : i+1+nameLen(text[i+1:])]
			out = append(out, Piece{Slot: syms.Intern(name), Name: name})
			i += 1 + len(name)
			literal = i
		default:
			for i < len(text) && text[i] == ':' {
				i++
			}
		}
	}
	if literal < len(text) {
		out = append(out, Piece{Literal: text[literal:], Slot: -1})
	}
	return out
}

// noteMark starts the comments that are meant for qbench.
const noteMark = "qbench:"

// comment records the comment at src[start:end] if it is a note. One that
// shares its line with SQL is refused: it would not be clear which command
// it speaks of.
func (p *parser) comment(start, end int) {
	src := p.script.Source
	text := strings.TrimLeft(src[start+2:end], " \t")
	text, ok := strings.CutPrefix(text, noteMark)
	if !ok || p.err != nil {
		return
	}
	text = strings.TrimLeft(text, " \t")
	lineStart := strings.LastIndexAny(src[:start], "\r\n") + 1
	if strings.TrimSpace(src[lineStart:start]) != "" {
		p.err = &Error{File: p.script.Name, Line: p.lineOf(start), Msg: "a \"-- qbench:\" comment must have its line to itself"}
		return
	}
	p.script.Notes = append(p.script.Notes, Note{
		Text:    strings.TrimRight(text, " \t"),
		Line:    p.lineOf(start),
		Column:  end - len(text) - lineStart + 1,
		Command: len(p.script.Commands),
	})
}
