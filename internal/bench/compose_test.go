package bench

import (
	"testing"

	"qbench/internal/result"
	"qbench/runner"
	"qbench/runner/script"
)

// The record names the texts that ran, so that a changed script under the same
// name is seen.
func TestComposeNamesTheTextsOfScripts(t *testing.T) {
	t.Parallel()
	text := func(source string) runner.Script {
		return runner.Script{Script: &script.Script{Name: "x", Source: source}}
	}
	group := func() runner.GroupLoad {
		return runner.GroupLoad{Stats: *result.NewStats(false), Scripts: []result.Script{{Name: "x"}, {Name: "y"}}}
	}
	producers := group()
	r := Compose(
		runner.Config{
			Consumers: runner.Group{Scripts: []runner.Script{text("select 1;"), text("select 2;")}},
			Producers: &runner.Group{Scripts: []runner.Script{text("select 3;"), text("select 1;")}},
		},
		&runner.Load{Consumers: group(), Producers: &producers})
	var got []string
	for _, s := range append(r.Scripts, r.Producers.Scripts...) {
		got = append(got, s.Digest)
	}
	for i, source := range []string{"select 1;", "select 2;", "select 3;", "select 1;"} {
		if got[i] != result.Digest(source) || len(got[i]) != 12 {
			t.Errorf("script %d has the digest %q, want %q", i, got[i], result.Digest(source))
		}
	}
}
