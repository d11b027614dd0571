package report

import (
	"bytes"
	"strings"
	"testing"

	"qbench/internal/result"
)

func TestCapacityHTML(t *testing.T) {
	t.Parallel()
	r := capacityReport(t)
	r.AllCapacities()[0].Name = `<script>alert(1)</script>`
	r.Environment = result.Environment{ServerVersion: "15.18"}
	page := renderCapacity(t, func(b *bytes.Buffer) error { return CapacityHTML(b, r, Options{}) })
	for _, want := range []string{
		"up to 7,400 orders/s with 12 workers", "7,350 orders/s held and 7,550 broke", "Invalid: the audit failed: 3 orders are lost", "15.18", "recommended",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("a name became a script")
	}
	rows := 0
	for _, s := range r.AllCapacities() {
		rows += len(s.Sweep.Rows)
	}
	if got := strings.Count(page, "<circle "); got != rows {
		t.Errorf("%d dots for %d counts", got, rows)
	}
}

// One count is no line, and nothing has no scale.
func TestCapacityHTMLChartNeedsALine(t *testing.T) {
	t.Parallel()
	one := &result.Sweep{Outcome: result.CapacityFound, Rows: []result.SweepRow{{Clients: 4, OrdersPerS: result.Estimate{Value: 5}}}}
	none := &result.Sweep{Outcome: result.CapacityFound, Rows: []result.SweepRow{{Clients: 4}, {Clients: 8}}}
	for _, s := range []*result.Sweep{one, none} {
		if newLawChart(s) != nil {
			t.Errorf("a chart of %+v", s.Rows)
		}
	}
	page := renderCapacity(t, func(b *bytes.Buffer) error { return CapacityHTML(b, &result.File{}, Options{}) })
	if !strings.Contains(page, "Nothing was measured.") {
		t.Error("an empty report says nothing")
	}
}
