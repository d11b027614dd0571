package printable_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"qbench/internal/printable"
)

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           "",
		"plain, ümlaut, 世界 🙂":        "plain, ümlaut, 世界 🙂",
		"two\nlines\tand a tab":      "two\nlines\tand a tab",
		"\x1b[2J\x1b]0;title\x07":    `\x1b[2J\x1b]0;title\x07`,
		"back\bspace\rreturn\x00nul": `back\x08space\x0dreturn\x00nul`,
		"del\x7f":                    `del\x7f`,
		"c1 \u009b31m":               `c1 \x9b31m`,
		"bidi \u202egnp.exe\u2066":   `bidi \u202egnp.exe\u2066`,
		"latin-1 \xe4\xff":           `latin-1 \xe4\xff`,
		"real \ufffd stays":          "real \ufffd stays",
		"raw c1 \x9b31m":             `raw c1 \x9b31m`,
		"line\u2028separator":        `line\u2028separator`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	if got := printable.Line("a\nb\tc\x1b"); got != `a b c\x1b` {
		t.Errorf("Line: %q", got)
	}
}

func TestNothingControlsATerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		out := printable.Text(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is no UTF-8", out)
		}
		for _, c := range out {
			if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
				t.Fatalf("%q is in %q", c, out)
			}
		}
		if again := printable.Text(out); again != out {
			t.Fatalf("escaped again, %q is %q", out, again)
		}
		var b bytes.Buffer
		if n, err := (&printable.Writer{Raw: &b}).Write([]byte(in)); n != len(in) || err != nil || b.String() != out {
			t.Fatalf("written: %d of %d, %v, %q", n, len(in), err, b.String())
		}
	})
}

// Escaped JSON says the same.
func TestJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text") + "\u009b\u202e\x7f\x1b"
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		escaped := printable.JSON(string(text))
		if strings.ContainsAny(escaped, "\u009b\u202e\x7f\x1b") {
			t.Fatalf("not escaped: %q", escaped)
		}
		var back string
		if err := json.Unmarshal([]byte(escaped), &back); err != nil || back != in {
			t.Fatalf("%q reads back as %q: %v", escaped, back, err)
		}
	})
}
