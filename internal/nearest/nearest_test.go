package nearest

import "testing"

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"plian", `: did you mean "plain"?`},
		{"unloged", `: did you mean "unlogged"?`},
		{"partition", `: did you mean "partitioned"?`},
		{"heap", ""},
	} {
		if got := DidYouMean(tt.name, []string{"plain", "unlogged", "partitioned"}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
