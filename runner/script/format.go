package script

import "strings"

// Format prints the script back: SQL as it was written, backslash commands
// one to a line with their expressions fully parenthesised, notes, and none
// of the other comments between statements. Parsing the result gives the
// same commands, and formatting those the same text.
func (s *Script) Format() string {
	var b strings.Builder
	open := false // the text ends in SQL that no semicolon has ended
	notes := s.Notes
	for i := range s.Commands {
		c := &s.Commands[i]
		for ; len(notes) > 0 && notes[0].Command == i; notes = notes[1:] {
			if !notes[0].inStatement {
				breakSQL(&b, &open)
				b.WriteString(noteLine(notes[0]))
			}
		}
		if c.Kind != SQL {
			b.WriteString(c.metaLine())
			open = false
			continue
		}
		breakSQL(&b, &open)
		b.WriteString(c.source)
		open = !c.terminated
		if c.Store != NoStore {
			if c.terminated {
				b.WriteByte(' ')
			}
			b.WriteString(c.storeLine())
			open = false
		} else if c.terminated {
			b.WriteByte('\n')
		}
	}
	for _, n := range notes {
		if !n.inStatement {
			breakSQL(&b, &open)
			b.WriteString(noteLine(n))
		}
	}
	return b.String()
}

// breakSQL ends open SQL with a backslash that starts no command.
func breakSQL(b *strings.Builder, open *bool) {
	if *open {
		b.WriteString("\\\n")
		*open = false
	}
}

func noteLine(n Note) string { return "-- " + noteMark + " " + n.Text + "\n" }

func (c *Command) storeLine() string {
	line := `\gset`
	if c.Store == Aset {
		line = `\aset`
	}
	if c.Prefix != "" {
		line += " " + c.Prefix
	}
	return endLine(line)
}

func (c *Command) metaLine() string {
	line := `\` + c.Name
	if c.Kind == Set || c.Kind == SetShell {
		line += " " + c.target
	}
	if c.Expr != nil {
		line += " " + c.Expr.String()
	}
	for i := range c.Args {
		line += " " + c.Args[i].word()
	}
	return endLine(line)
}

// endLine keeps a backslash at the end from continuing the line.
func endLine(line string) string {
	if strings.HasSuffix(line, `\`) {
		line += " "
	}
	return line + "\n"
}
