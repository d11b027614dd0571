package runner_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// statement is what counts of an SQL statement's text.
type statement struct {
	words  string // lower case, single blanks, without comments
	quoted string // the first string literal
	rows   int64
	value  string
	column string
}

var (
	limits      = regexp.MustCompile(`limit (\d+)`)
	constantRow = regexp.MustCompile(`^select ([\w-]+) as (\w+)`)
	gives       = regexp.MustCompile(`^select done\((\d+)\)`)
)

func parseStatement(text string) statement {
	st := statement{words: strings.Join(strings.Fields(strings.ToLower(strings.TrimRight(stripComments(text), "; \n"))), " "), rows: 1, value: "1", column: "n"}
	if _, rest, ok := strings.Cut(text, "'"); ok {
		st.quoted, _, _ = strings.Cut(rest, "'")
	}
	if m := limits.FindStringSubmatch(st.words); m != nil {
		st.rows, _ = strconv.ParseInt(m[1], 10, 64)
	}
	if m := constantRow.FindStringSubmatch(st.words); m != nil {
		st.value, st.column = m[1], m[2]
	}
	if m := gives.FindStringSubmatch(st.words); m != nil {
		st.value = m[1]
	}
	return st
}

// has tells whether a statement is the command; "rollback to" also names "rollback work to savepoint".
func (s statement) has(command string) bool {
	words := strings.Replace(strings.Replace(s.words, " work", "", 1), " transaction", "", 1)
	switch command {
	case "and chain":
		return strings.HasSuffix(words, command)
	case "prepare transaction", "start transaction":
		words = s.words
	}
	return words == command || strings.HasPrefix(words, command+" ")
}

func (s statement) setsPath() bool {
	return s.has("set local search_path") || strings.HasPrefix(s.words, "select pg_catalog.set_config('search_path'")
}

func (s statement) last() string { return s.words[strings.LastIndexByte(s.words, ' ')+1:] }

func (s statement) writes() bool {
	for _, w := range []string{"insert", "with", "update", "delete", "merge"} {
		if s.has(w) {
			return true
		}
	}
	return false
}

func (s statement) returnsRows() bool { return s.has("select") }

// orders is how many orders a statement does: its rows, those of a SELECT where no other statement of the message writes.
func (s statement) orders(writing bool) int64 {
	switch {
	case s.writes():
		return s.rows
	case gives.MatchString(s.words):
		n, _ := strconv.ParseInt(s.value, 10, 64)
		return n
	case strings.HasPrefix(s.words, "select take(") && !writing:
		return s.rows
	}
	return 0
}

func (s statement) tag() string {
	switch word, _, _ := strings.Cut(s.words, " "); word {
	case "insert", "with":
		return fmt.Sprintf("INSERT 0 %d", s.rows)
	case "set", "notify":
		return strings.ToUpper(word)
	default:
		return fmt.Sprintf("%s %d", strings.ToUpper(word), s.rows)
	}
}

func describe(st statement) pgproto3.BackendMessage {
	if !st.returnsRows() {
		return &pgproto3.NoData{}
	}
	return &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte(st.column), DataTypeOID: 25, DataTypeSize: -1, TypeModifier: -1}}}
}

// stripComments puts a blank in place of each comment; comments nest.
func stripComments(text string) string {
	var out strings.Builder
	depth := 0
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			i++
		case depth > 0 && strings.HasPrefix(rest, "*/"):
			depth--
			i++
			out.WriteByte(' ')
		case depth > 0:
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return out.String()
			}
			i += n - 1
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// splitStatements cuts a simple Query at its semicolons; the tests' texts have none in literals or comments.
func splitStatements(text string) (parts []string) {
	for p := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(stripComments(p)) != "" {
			parts = append(parts, p)
		}
	}
	return parts
}
