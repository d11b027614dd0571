package pgbench

import (
	"fmt"
	"strings"

	"qbench/internal/conninfo"
	"qbench/internal/shell"
)

// version is what -V and the banner say: the pgbench whose behaviour this is.
func (o *options) version() string { return fmt.Sprintf("%d (qbench)", o.compat) }

func (o *options) printVersion() {
	fmt.Fprintf(o.console.out, "%s (PostgreSQL) %s\n", name, o.version())
}

func (o *options) printHelp() {
	var b strings.Builder
	b.WriteString(`qbench pgbench runs pgbench's scripts and prints pgbench's report.

Usage:
  qbench pgbench [OPTION]... [DBNAME]
`)
	for _, section := range sections {
		b.WriteString("\n" + section.title + ":\n")
		for _, f := range section.flags {
			b.WriteString(f.usage())
		}
	}
	fmt.Fprint(o.console.out, b.String())
}

// helpColumn is where the descriptions start.
const helpColumn = 32

func (f *flagSpec) usage() string {
	left := "      --" + f.long
	if f.short != "" {
		left = "  -" + f.short + ", --" + f.long
	}
	if f.arg != "" {
		left += "=" + f.arg
	}
	switch {
	case f.help == "":
		return left + "\n"
	case len(left) > helpColumn-2:
		return left + "\n" + strings.Repeat(" ", helpColumn) + f.help + "\n"
	}
	return fmt.Sprintf("%-*s%s\n", helpColumn, left, f.help)
}

// initCommand is the command that does what was asked for with -i. Connection
// strings are not repeated: they may hold a password.
func initCommand(args []string) string {
	words := []string{name}
	for _, a := range args {
		if strings.Contains(a, "://") || strings.Contains(strings.ToLower(a), "password") || conninfo.Redact(a) != a {
			a = "CONNECTION"
		}
		words = append(words, a)
	}
	return shell.Join(words...)
}
