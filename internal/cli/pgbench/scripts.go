package pgbench

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"qbench/runner"
	"qbench/runner/script"
)

//go:embed builtin/*.sql
var builtinFiles embed.FS

// builtin is one of pgbench's built-in scripts.
type builtin struct {
	name        string
	description string // as the report names it
}

// builtins is in the order of pgbench's list.
var builtins = []builtin{
	{"tpcb-like", "<builtin: TPC-B (sort of)>"},
	{"simple-update", "<builtin: simple update>"},
	{"select-only", "<builtin: select only>"},
}

func (b builtin) source() string {
	text, err := builtinFiles.ReadFile("builtin/" + b.name + ".sql")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}

// listBuiltins is what -b list prints.
func listBuiltins() string {
	var text strings.Builder
	text.WriteString("Available builtin scripts:\n")
	for _, b := range builtins {
		fmt.Fprintf(&text, "  %13s: %s\n", b.name, b.description)
	}
	text.WriteString("\n")
	return text.String()
}

// findBuiltin finds a built-in script by a prefix of its name that no other
// one shares.
func findBuiltin(prefix string) (builtin, error) {
	var found []builtin
	for _, b := range builtins {
		if strings.HasPrefix(b.name, prefix) {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return builtin{}, fatalf(`no builtin script found for name "%s"`, prefix).and(levelRaw, "%s", listBuiltins())
	}
	return builtin{}, fatalf(`ambiguous builtin name: %d builtin scripts found for prefix "%s"`, len(found), prefix).
		and(levelRaw, "%s", listBuiltins())
}

// maxScripts is pgbench's limit.
const maxScripts = 128

// addScript parses a script and adds it to the run's.
func (o *options) addScript(description, source string, weight int) error {
	s, err := script.Parse(description, source, o.symbols)
	if err != nil {
		return fatalf("%s", err)
	}
	if len(o.scripts) == maxScripts {
		return fatalf("at most %d SQL scripts are allowed", maxScripts)
	}
	o.scripts = append(o.scripts, runner.Script{Script: s, Weight: weight})
	return nil
}

func (o *options) addBuiltin(prefix string, weight int) error {
	b, err := findBuiltin(prefix)
	if err != nil {
		return err
	}
	o.builtinUsed = true
	return o.addScript(b.description, b.source(), weight)
}

// addFile adds the script in a file; "-" is standard input.
func (o *options) addFile(path string, weight int) error {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(o.stdin)
	} else {
		text, err = os.ReadFile(path)
	}
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed) && failed.Op == "open":
		return fatalf(`could not open file "%s": %s`, path, sentence(failed.Err))
	case err != nil:
		if failed != nil {
			err = failed.Err
		}
		return fatalf(`could not read file "%s": %s`, path, sentence(err))
	}
	return o.addScript(path, string(text), weight)
}

// sentence is a system error as C's library words it: Go has the same texts,
// but starts them in lower case.
func sentence(err error) string {
	r := []rune(err.Error())
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
