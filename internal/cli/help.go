package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

const helpWidth = 80

// usageOf splits a flag's usage into the name of its value, which stands in
// backquotes, and the text.
func usageOf(f cli.Flag) (placeholder, text string) {
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	text = d.GetUsage()
	if before, rest, ok := strings.Cut(text, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			return name, strings.TrimSpace(before + strings.TrimPrefix(after, ": "))
		}
	}
	if d.TakesValue() {
		placeholder = "VALUE"
	}
	return placeholder, text
}

// printHelp writes the help of qbench itself.
func (a *app) printHelp(w io.Writer) {
	wrapText(w, "", "", "qbench load-tests queues kept in PostgreSQL tables: it counts orders, proves that each was handled exactly once, and says why a strategy is as fast as it is.")
	fmt.Fprintf(w, "\nUsage:\n  qbench COMMAND [FLAGS]\n\nCommands:\n")
	for _, c := range a.commands() {
		writeEntry(w, "  "+c.Name, 14, c.Usage)
	}
	for _, c := range rawCommands {
		writeEntry(w, "  "+c.name, 14, c.usage)
	}
	fmt.Fprintf(w, "\n\"qbench COMMAND --help\" says more. A first run:\n  qbench run --strategy skip-locked -c 256\n\n")
	fmt.Fprintf(w, "Exit status:\n")
	for _, s := range statusHelp {
		writeEntry(w, fmt.Sprintf("  %d", s.status), 7, s.meaning)
	}
}

var statusHelp = []struct {
	status  Status
	meaning string
}{
	{StatusOK, "all was done"},
	{StatusUsage, "usage or setup: nothing was measured; or a result could not be written"},
	{StatusIncomplete, "the run is incomplete: a client was aborted, or the run was NOT AUDITED"},
	{StatusFailed, "a threshold or a regression gate failed"},
	{StatusAudit, "the audit failed: orders were not handled exactly once"},
	{StatusInterrupted, "interrupted; what was done until then is reported"},
}

// printCommandHelp writes a command's help, its flags grouped by category in
// the order in which the categories first appear.
func printCommandHelp(w io.Writer, c *cli.Command) {
	line := "qbench " + c.Name
	if len(c.Flags) > 0 {
		line += " [FLAGS]"
	}
	if c.ArgsUsage != "" {
		line += " " + c.ArgsUsage
	}
	wrapText(w, "", "", c.Usage)
	fmt.Fprintf(w, "\nUsage:\n  %s\n", line)
	if c.Description != "" {
		fmt.Fprintln(w)
		for _, paragraph := range strings.Split(c.Description, "\n\n") {
			if strings.HasPrefix(paragraph, "  ") { // an example, as it is
				fmt.Fprintln(w, paragraph)
			} else {
				wrapText(w, "", "", paragraph)
			}
			fmt.Fprintln(w)
		}
	}
	for i, category := range categories(c.Flags) {
		if i > 0 || c.Description == "" {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s:\n", category)
		for _, f := range c.Flags {
			if categoryOf(f) == category {
				writeEntry(w, flagHead(f), 27, flagText(f))
			}
		}
	}
}

func categories(flags []cli.Flag) []string {
	var list []string
	seen := map[string]bool{}
	for _, f := range flags {
		if c := categoryOf(f); !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	return list
}

func categoryOf(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
		return c.GetCategory()
	}
	return "Flags"
}

// flagHead is "  -c, --client LIST", the letter first as in pgbench's help.
func flagHead(f cli.Flag) string {
	head := "  "
	letter := false
	for i, n := range f.Names() {
		if i == 0 && len(n) == 1 {
			head += "    --" + n // it has no longer name
		} else if len(n) == 1 {
			head += "-" + n
			letter = true
		}
	}
	if !letter && len(f.Names()[0]) > 1 {
		head += "    "
	}
	for _, n := range f.Names() {
		if len(n) > 1 {
			if letter {
				head += ", "
			}
			head += "--" + n
		}
	}
	if placeholder, _ := usageOf(f); placeholder != "" {
		head += " " + placeholder
	}
	return head
}

func flagText(f cli.Flag) string {
	_, text := usageOf(f)
	if d, ok := f.(cli.DocGenerationFlag); ok && d.TakesValue() {
		if v := strings.Trim(d.GetDefaultText(), `" `); v != "" {
			text += " (default: " + v + ")"
		}
	}
	return text
}

// writeEntry writes a name and its explanation in a column of its own.
func writeEntry(w io.Writer, head string, column int, text string) {
	if len(head) >= column {
		fmt.Fprintln(w, head)
		head = ""
	}
	wrapText(w, fmt.Sprintf("%-*s", column, head), strings.Repeat(" ", column), text)
}

func wrapText(w io.Writer, first, rest, text string) { wrapAt(w, helpWidth, first, rest, text) }

// wrapAt writes text in lines of at most width characters, where its words
// allow it; first and rest stand before the first line and the others.
func wrapAt(w io.Writer, width int, first, rest, text string) {
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > width {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}
