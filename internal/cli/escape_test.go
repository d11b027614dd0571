package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qbench/internal/result"
	"qbench/report"
)

const controls = "\x1b\x07\x7f\u009b\u202e\r"

// What others wrote cannot control the terminal: the command line, names of
// files, what a foreign result file holds.
func TestOutputIsPrintable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	evil := "evil\x1b]0;title\x07\u009b2J\u202e\x7f"
	foreign := filepath.Join(dir, "foreign.json")
	other := filepath.Join(dir, evil+".json")
	for i, path := range []string{foreign, other} {
		r := &result.Run{Configuration: result.Configuration{Strategy: evil, Mode: evil, Clients: 1}, Errors: []string{evil}, Warnings: []string{evil}, AbortedClients: 1}
		f := &result.File{Runs: []*result.Run{r, r}, Environment: result.Environment{ServerVersion: evil + strings.Repeat("x", i), HostOS: evil}}
		var b bytes.Buffer
		if err := report.JSON(&b, f, report.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lines := [][]string{
		{"compare", foreign, other}, {"compare", foreign, other, "--format", "markdown"}, {"compare", foreign, other, "--format", "junit"},
		{"compare", foreign, other, "--format", "json"}, {"report", filepath.Join(dir, evil)}, {"run", "-s", evil}, {evil}, {"run", evil}, {"strategies", evil},
		{"report", foreign, "--fail-if", "tps<5"}, {"pgbench", "--" + evil}, {"pgbench", "-f", evil},
	}
	for _, format := range report.OfRuns.Formats() {
		lines = append(lines, []string{"report", foreign, other, "--format", format})
	}
	for _, line := range lines {
		_, stdout, stderr := call(line...)
		if stdout+stderr == "" {
			t.Errorf("%q says nothing", line)
		}
		for _, text := range []string{stdout, stderr} {
			if i := strings.IndexAny(text, controls); i >= 0 {
				t.Errorf("%q: a control character in %q", line, text[max(0, i-40):min(len(text), i+40)])
			}
		}
	}
}
