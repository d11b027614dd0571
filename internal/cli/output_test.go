package cli

import (
	"bytes"
	"strings"
	"testing"

	"qbench/internal/result"
)

// With --json - only the result file is on stdout.
func TestPrint(t *testing.T) {
	t.Parallel()
	var text, json bytes.Buffer
	o := &output{format: "pgbench", stdout: &text, jsonOut: &json}
	if err := o.print(&result.File{Format: result.Format, Runs: []*result.Run{{Configuration: result.Configuration{Strategy: "s"}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(&json); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(text.String(), "transaction type: ") || strings.Contains(text.String(), "\x1b") {
		t.Errorf("%q", text.String())
	}
}
