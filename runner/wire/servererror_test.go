package wire

import "testing"

func TestErrorTextShowsThePlace(t *testing.T) {
	t.Parallel()
	body := []byte("SERROR\x00C42601\x00Msyntax error at or near \"fro\"\x00P10\x00Hlook again\x00\x00")
	want := "ERROR:  syntax error at or near \"fro\"\nLINE 1: select 1 fro x\n                 ^\nHINT:  look again"
	if got := ErrorText(body, "select 1 fro x\nwhere true"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	second := []byte("SERROR\x00Mbad\x00P4\x00\x00")
	if got, want := ErrorText(second, "a\nbcd"), "ERROR:  bad\nLINE 2: bcd\n         ^"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := ErrorText(second, "abc"), "ERROR:  bad\nLINE 1: abc\n           ^"; got != want {
		t.Errorf("at the end: got\n%s\nwant\n%s", got, want)
	}
}

func TestErrorTextShowsWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, error, notice string }{
		{"", ":  ", ":  "},
		{"SERROR\x00", "ERROR:  ", "ERROR:  "},
		{"SFEHLER\x00VERROR\x00Mm\x00Dd\x00Hh\x00Ww\x00\x00", "FEHLER:  m\nDETAIL:  d\nHINT:  h\nCONTEXT:  w", "FEHLER:  m\nDETAIL:  d\nHINT:  h"},
		{"SERROR\x00Mm\x00P7\x00\x00", "ERROR:  m", "ERROR:  m"},
	} {
		if got := ErrorText([]byte(c.body), "abc"); got != c.error {
			t.Errorf("%q: error %q, want %q", c.body, got, c.error)
		}
		if got := NoticeText([]byte(c.body)); got != c.notice {
			t.Errorf("%q: notice %q, want %q", c.body, got, c.notice)
		}
	}
}

func TestErrorField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body  string
		field byte
		want  string
		none  bool
	}{
		{"SERROR\x00C40001\x00\x00", FieldSQLState, "40001", false},
		{"SERROR\x00C40001\x00\x00", FieldShown, "ERROR", false},
		{"SERROR\x00C40001\x00\x00", FieldHint, "", true},
		{"SERROR\x00H\x00\x00", FieldHint, "", false},
		{"SERROR\x00\x00C40001\x00", FieldSQLState, "", true}, // after the end
		{"SERROR\x00C4000", FieldSQLState, "4000", false},     // cut off
		{"SERROR", FieldSQLState, "", true},
		{"S", FieldShown, "", true},
		{"", FieldShown, "", true},
	} {
		got := ErrorField([]byte(c.body), c.field)
		if string(got) != c.want || (got == nil) != c.none {
			t.Errorf("%q: field %c is %q (nil: %v), want %q (%v)", c.body, c.field, got, got == nil, c.want, c.none)
		}
	}
}

func TestFatal(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		"SFATAL\x00VFATAL\x00\x00": true, "VPANIC\x00\x00": true, "VERROR\x00\x00": false, "SFATAL\x00\x00": false, "": false,
		"SPANIK\x00VERROR\x00MFATAL\x00\x00": false,
	} {
		if got := Fatal([]byte(body)); got != want {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}

func TestCaretOutside(t *testing.T) {
	t.Parallel()
	for _, pos := range []int{-1, 0, 5, 1 << 30} {
		if got := Caret("abc", pos); got != "" {
			t.Errorf("position %d: %q", pos, got)
		}
	}
	// One column per character, and a tab as wide as a blank.
	if got, want := Caret("ä\tß x", 5), "\nLINE 1: ä ß x\n            ^"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzErrorText renders any body with any query.
func FuzzErrorText(f *testing.F) {
	f.Add([]byte("SERROR\x00VERROR\x00C42601\x00Mm\x00P4\x00Dd\x00Hh\x00Ww\x00\x00"), "a\nbcd")
	f.Add([]byte("SERROR\x00P3"), "\xff\xfe")
	f.Fuzz(func(t *testing.T, body []byte, query string) {
		ErrorText(body, query)
		NoticeText(body)
		Fatal(body)
	})
}
