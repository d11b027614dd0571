package schema

import (
	"embed"
	"fmt"
	"regexp"
)

//go:embed sql
var files embed.FS

// hole matches a comment that names a value, with the sample behind it.
var hole = regexp.MustCompile(`/\*(\w+)\*/(\w*)`)

// readSQL returns an embedded file with its holes filled. A missing file or
// value is a mistake in this package, not in its input, so it panics.
//
// text/template was rejected: its braces would make the files no SQL at all.
func readSQL(name string, values map[string]string) string {
	src, err := files.ReadFile("sql/" + name)
	if err != nil {
		panic(err)
	}
	return hole.ReplaceAllStringFunc(string(src), func(h string) string {
		key := hole.FindStringSubmatch(h)[1]
		v, ok := values[key]
		if !ok {
			panic(fmt.Sprintf("schema: sql/%s: no value for %s", name, h))
		}
		return v
	})
}
