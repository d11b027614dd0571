// Package conninfo reads what people write to name a server: it finds what may be a password, so that no message repeats
// it, refuses strings that can be read in two ways, and passes over a password file that others can read. Start with
// [Prepare] for a connection string and [Find] for a command line.
package conninfo

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const mask = "xxxxx"

// least is the length of a piece of a password that is never shown.
const least = 4

// Secrets are the arguments of a command line that may hold a password. The zero value holds none.
type Secrets struct{ forms []form }

// form is a text that may be repeated in a message, and which bytes of it may be a password.
type form struct {
	text   string
	secret []span
}

type span struct{ from, to int }

// Find looks for passwords in the arguments of a command line, wherever they stand: alone, glued to a flag, behind an equals
// sign, within quotes.
func Find(args []string) Secrets {
	var s Secrets
	for _, arg := range args {
		quoted := strconv.Quote(arg)
		forms := []string{arg, quoted[1 : len(quoted)-1]}
		if decoded, err := url.PathUnescape(arg); err == nil {
			forms = append(forms, decoded)
		}
		slices.Sort(forms)
		for _, text := range slices.Compact(forms) {
			if secret := spans(text); len(secret) > 0 {
				s.forms = append(s.forms, form{text, secret})
			}
		}
	}
	return s
}

// MayHoldPassword says whether a connection string has to be kept out of messages.
func MayHoldPassword(dsn string) bool {
	return strings.Contains(dsn, "@") || strings.Contains(strings.ToLower(dsn), "password") || len(spans(dsn)) > 0
}

// Redact returns an argument with what may be a password masked.
func Redact(arg string) string {
	hide := make([]bool, len(arg))
	for _, s := range spans(arg) {
		for i := s.from; i < s.to; i++ {
			hide[i] = true
		}
	}
	return masked(arg, hide)
}

// Mask returns a message in which no password of the command line is repeated, and no piece of one of 4 or more
// characters.
func (s Secrets) Mask(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	hide := make([]bool, len(text))
	for _, f := range s.forms {
		for _, secret := range f.secret {
			f.find(text, secret, hide)
		}
	}
	return masked(text, hide)
}

// find marks the bytes of a text that repeat a password. A piece counts when it is 4 bytes long with what stands around it in
// the argument, so that a short password is found as well, and when no word of the message goes on before or behind it: the
// "assw" of a message is no piece of the password "assword". A password that everybody uses is found only where
// what stands before or behind it is repeated too: "postgres" is the name of a role, a database and a system as well.
func (f form) find(text string, secret span, hide []bool) {
	first, last, length := secret.from-least+1, secret.to-1, least
	if common[strings.ToLower(f.text[secret.from:secret.to])] {
		first, last, length = secret.from-1, secret.from, secret.to-secret.from+1
	}
	length = min(length, len(f.text))
	for from := max(0, first); from <= min(last, len(f.text)-length); from++ {
		piece := f.text[from : from+length]
		for at := 0; at+length <= len(text); at++ {
			if text[at:at+length] == piece {
				f.mark(text, at, from, length, secret, hide)
			}
		}
	}
}

// mark hides what a text repeats of a password around a piece: f.text[from:from+length] stands at text[at:].
func (f form) mark(text string, at, from, length int, secret span, hide []bool) {
	start, end := at, at+length
	shift := from - at
	for start > 0 && start+shift > 0 && text[start-1] == f.text[start+shift-1] {
		start--
	}
	for end < len(text) && end+shift < len(f.text) && text[end] == f.text[end+shift] {
		end++
	}
	if within(text, start) || within(text, end) {
		return
	}
	for i := max(start, secret.from-shift); i < min(end, secret.to-shift); i++ {
		hide[i] = true
	}
}

// within says whether a place in a text is in the middle of a word.
func within(text string, at int) bool {
	return at > 0 && at < len(text) && inWord(text[at-1]) && inWord(text[at])
}

func inWord(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// common are passwords that are no secret, and words of messages at the same time.
var common = map[string]bool{
	"postgres": true, "postgresql": true, "pgbench": true, "qbench": true, "password": true, "test": true, "user": true, "admin": true, "root": true,
	"localhost": true, "database": true, "host": true,
}

// masked replaces each run of hidden bytes, widened to whole characters.
func masked(text string, hide []bool) string {
	for i := range hide {
		if hide[i] {
			for j := i; j > 0 && !utf8.RuneStart(text[j]); j-- {
				hide[j-1] = true
			}
			for j := i + 1; j < len(text) && !utf8.RuneStart(text[j]); j++ {
				hide[j] = true
			}
		}
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hide[i]:
			b.WriteByte(text[i])
		case i == 0 || !hide[i-1]:
			b.WriteString(mask)
		}
	}
	return b.String()
}

var (
	keyword = regexp.MustCompile(`(?i)(?:password|passwd|passphrase|secret|pwd)["']?\s*=\s*`)
	// parameter is what may follow a value of the keyword form, or of a URL's query.
	parameter = regexp.MustCompile(`^(?:[\s&]*$|[\s&]+(?:host|hostaddr|port|user|dbname|database|service|passfile|options|application_name|connect_timeout|client_encoding|` +
		`target_session_attrs|channel_binding|require_auth|ssl[a-z]*|(?:ssl)?password|keepalives[a-z_]*|gss[a-z]*|krb[a-z]*)\s*=)`)
	port = regexp.MustCompile(`^[0-9]*(?:[/?,]|$)`)
)

// spans finds what may be a password in a text. In doubt it takes more: an unencoded / or @ in a password looks like the
// end of it.
func spans(text string) []span {
	var out []span
	add := func(from, to int) {
		if from < to {
			out = append(out, span{from, to})
		}
	}
	start, isURL := 0, false
	if i := strings.Index(text, "://"); i >= 0 {
		start, isURL = i+len("://"), true
	}
	rest := text[start:]
	colon, at := strings.IndexByte(rest, ':'), strings.LastIndexByte(rest, '@')
	switch {
	case colon < 0:
	case at > colon:
		add(start+colon+1, start+at)
	case isURL && rest[0] != '[' && !port.MatchString(rest[colon+1:]):
		add(start+colon+1, len(text))
	}
	for _, m := range keyword.FindAllStringIndex(text, -1) {
		add(m[1], m[1]+valueEnd(text[m[1]:]))
	}
	return out
}

// valueEnd is where the value of a parameter ends: where the next parameter begins, or at the end of everything.
func valueEnd(text string) int {
	for i := range len(text) {
		if strings.ContainsRune(" \t\n\v\f\r&", rune(text[i])) && parameter.MatchString(text[i:]) {
			return i
		}
	}
	return len(text)
}
