package report

import (
	"slices"
	"strings"
	"testing"

	"qbench/internal/result"
)

// A row of the table is as good as the worst of its runs, wherever that stands.
func TestRowIsAsGoodAsItsWorstRun(t *testing.T) {
	t.Parallel()
	run := func(state AuditState, aborted int) *result.Run {
		r := newRun("skip-locked", 4, 5, 1, 100, 0)
		r.AbortedClients = aborted
		switch state {
		case AuditMissing:
			r.Audit = nil
		case AuditFailed:
			r.Audit.OK = false
		}
		if aborted > 0 {
			r.Errors = []string{"the first cause", "what followed"}
		}
		return r
	}
	for _, c := range []struct {
		name       string
		runs       []*result.Run
		audit      AuditState
		aborted    string // of the row
		abortsText string
	}{
		{"all well", []*result.Run{run(AuditOK, 0), run(AuditOK, 0)}, AuditOK, "0", ""},
		{"one not audited", []*result.Run{run(AuditMissing, 0), run(AuditOK, 0)}, AuditMissing, "0", ""},
		{"the last not audited", []*result.Run{run(AuditOK, 0), run(AuditMissing, 0)}, AuditMissing, "0", ""},
		{"one failed, one not audited", []*result.Run{run(AuditFailed, 0), run(AuditMissing, 0)}, AuditFailed, "0", ""},
		{"aborted in all", []*result.Run{run(AuditOK, 4), run(AuditOK, 4)}, AuditOK, "4 of 4", "4 of 4 clients in 2 of 2 runs; first cause: the first cause"},
		{"aborted in some", []*result.Run{run(AuditOK, 0), run(AuditOK, 2), run(AuditMissing, 2)}, AuditMissing, "2 of 4", "2 of 4 clients in 2 of 3 runs; first cause: the first cause"},
		{"not as many in each", []*result.Run{run(AuditOK, 1), run(AuditOK, 3)}, AuditOK, "3 of 4", "1 to 3 of 4 clients in 2 of 2 runs; first cause: the first cause"},
	} {
		k := rank(c.runs)
		e := &k.entries[0]
		if len(k.entries) != 1 || e.audit != c.audit || (e.place == 0) == c.audit.Proved() {
			t.Errorf("%s: audit %v, place %d", c.name, e.audit, e.place)
		}
		if got := e.aborted.worst(); got != c.aborted {
			t.Errorf("%s: aborted %s, want %s", c.name, got, c.aborted)
		}
		if c.abortsText != "" && e.aborted.text() != c.abortsText {
			t.Errorf("%s: %q", c.name, e.aborted.text())
		}
	}
}

// Each form names what is not proved, and the first cause of an abort. pgbench's
// own report has no place for either.
func TestEachFormatNamesTheWorst(t *testing.T) {
	t.Parallel()
	for _, name := range OfRuns.Formats() {
		if name == "pgbench" {
			continue
		}
		format, err := OfRuns.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			file string
			want []string
		}{
			{"aborted", []string{"t_order_x", "2 of 4"}},
			{"all-aborted", []string{"t_order_x", "8 of 8"}},
			{"not-audited", []string{"not audited"}},
		} {
			got := strings.NewReplacer("&#34;", `"`, `\_`, "_", "\n", " ").Replace(render(t, format, cases()[c.file], Options{Width: 200}))
			for _, want := range c.want {
				if slices.Contains([]string{"csv", "json"}, name) && want != "t_order_x" {
					continue // they have fields for the counts
				}
				if !strings.Contains(strings.ToLower(got), want) {
					t.Errorf("%s of %s: %q is not in\n%.3000s", name, c.file, want, got)
				}
			}
		}
	}
}
