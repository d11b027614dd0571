package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Of hundreds of clients that end alike, the first few are shown.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		var b bytes.Buffer
		quiet, hush := context.WithCancel(t.Context())
		m := &messages{con: newConsole(&b), all: all, quiet: quiet}
		for i := range 8 {
			m.message("error", fmt.Sprintf("client %d aborted", i))
		}
		m.message("", "debug(script=0,command=1): int 5")
		m.message("info", "client 1 repeats")
		m.close()
		hush()
		m.message("error", "cut off")
		got := b.String()
		if n := strings.Count(got, "qbench: error: client "); n != map[bool]int{false: 5, true: 8}[all] {
			t.Errorf("all %v: %d errors shown:\n%s", all, n, got)
		}
		if strings.Contains(got, "3 more clients ended with an error") == all {
			t.Errorf("all %v:\n%s", all, got)
		}
		if !strings.Contains(got, "\ndebug(script=0,command=1): int 5\nqbench: client 1 repeats\n") || strings.Contains(got, "cut off") {
			t.Errorf("all %v:\n%s", all, got)
		}
	}
}

// Whatever the text, no line is wider than asked, unless a word is, and no
// word gets lost.
func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zäöü%]{1,12}`)).Draw(t, "words")
		width := rapid.IntRange(20, 90).Draw(t, "width")
		var b strings.Builder
		wrapAt(&b, width, "first ", "  ", strings.Join(words, " "))
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Fatalf("%d columns in %q", n, line)
			}
		}
		if got := strings.Fields(b.String()); strings.Join(got, " ") != strings.Join(append([]string{"first"}, words...), " ") {
			t.Fatalf("words %q became %q", words, got)
		}
	})
}
