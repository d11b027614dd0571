package report

import (
	"regexp"
	"strings"
	"testing"
)

// The grammar of golang.org/design/14313-benchmark-format: configuration
// lines, unit metadata, and results of a name, a count and pairs of value and
// unit. A comment is any other line.
var benchfmtLine = regexp.MustCompile(`^(?:[a-z][^A-Z\s:]*: .*|Unit \S+(?: \w+=\w+)+|Benchmark\S+ [1-9]\d*(?: [0-9.e+-]+ \S+)+|# .*)$`)

func TestBenchfmtGrammar(t *testing.T) {
	t.Parallel()
	f := matrix()
	f.Runs[0].Strategy = "./my queue.sql\n"
	results, comments := 0, 0
	for line := range strings.Lines(render(t, Benchfmt, f, Options{})) {
		line = strings.TrimSuffix(line, "\n")
		if !benchfmtLine.MatchString(line) {
			t.Errorf("not of the format: %q", line)
		}
		switch {
		case strings.HasPrefix(line, "Benchmark"):
			if results == 0 && !strings.HasPrefix(line, "BenchmarkQueue/strategy=._my_queue.sql_/layout=plain/mode=prepared/clients=8 ") {
				t.Errorf("name in %q", line)
			}
			results++
		case strings.HasPrefix(line, "# "):
			comments++
		}
	}
	if results != len(f.Runs)-1 || comments != 1 {
		t.Errorf("%d results and %d comments for %d runs, one of whose audits failed", results, comments, len(f.Runs))
	}
}
