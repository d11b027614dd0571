package shell

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                     nil,
		" \t\n":                nil,
		"-c 8":                 {"-c", "8"},
		`--pg-setting='a b' x`: {"--pg-setting=a b", "x"},
		`"it's" 'say "x"'`:     {"it's", `say "x"`},
		`a\ b "\"" '\'`:        {"a b", `"`, `\`},
		`'' ""`:                {"", ""},
	} {
		got, err := Split(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, bad := range []string{"'a", `"a`, `a\`} {
		if _, err := Split(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	want := `/bin/psql -h '/tmp/it'\''s here' '' '$x' a@b=100% '~'`
	if got := Join("/bin/psql", "-h", "/tmp/it's here", "", "$x", "a@b=100%", "~"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever the text, words that were split off are split off again when they
// are joined.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"", "-c 8", `'a b' "c\"d" e\ f`, `'`, `\`, "\x00 \xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Split(text)
		if err != nil {
			return
		}
		again, err := Split(Join(words...))
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q: %q, then %q, %v", text, words, again, err)
		}
	})
}
