package schema

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed sql
var files embed.FS

// hole matches a comment that names a value, with the sample behind it.
var hole = regexp.MustCompile(`/\*(\w+)\*/(\w*)`)

// readSQL returns an embedded file with its holes filled, see fill. A missing
// file is a mistake in this package, not in its input, so it panics.
//
// text/template was rejected: its braces would make the files no SQL at all.
func readSQL(name, schema string, values map[string]string) string {
	src, err := files.ReadFile("sql/" + name)
	if err != nil {
		panic(err)
	}
	return fill(string(src), schema, values)
}

// fill fills the holes of a statement. "/*schema*/name" becomes the name in the
// schema, and "/*schemaName*/null" the schema's name as a literal. A value
// that is missing is a mistake in this package, so it panics.
//
// Names are qualified because the statements run with a search_path of
// PostgreSQL's own schemas: an operator or a function that another user
// planted in the queue's schema is never called with the rights of qbench's user.
func fill(sql, schema string, values map[string]string) string {
	sql = strings.ReplaceAll(sql, "$$", dollarQuote(schema))
	return hole.ReplaceAllStringFunc(sql, func(h string) string {
		parts := hole.FindStringSubmatch(h)
		switch key, sample := parts[1], parts[2]; key {
		case "schema":
			return pgx.Identifier{schema}.Sanitize() + "." + sample
		case "schemaName":
			return quoteLiteral(schema)
		default:
			v, ok := values[key]
			if !ok {
				panic(fmt.Sprintf("schema: no value for %s", h))
			}
			return v
		}
	})
}

// dollarQuote is a quote for a function's body that does not occur in the
// schema's name.
func dollarQuote(schema string) string {
	quote := "$$"
	for n := 0; strings.Contains(schema, quote); n++ {
		quote = fmt.Sprintf("$q%d$", n)
	}
	return quote
}

// quoteLiteral quotes a text for SQL, whatever standard_conforming_strings is.
func quoteLiteral(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.Contains(s, `\`) {
		return " E" + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}

// qualified names a relation, a type or a routine of a schema.
func qualified(schema, name string) string { return pgx.Identifier{schema, name}.Sanitize() }
