package compare

import (
	"testing"

	"qbench/internal/result"
)

// Where the estimate ends at its cap, the runs that there are must not be
// taken from it: "995 more runs" would be a promise.
func TestMoreRunsBeyondTheCapStayBeyondIt(t *testing.T) {
	t.Parallel()
	row := &result.ComparisonRow{BaseRuns: 5, NewRuns: 5}
	e := evidence{ci: interval{lo: -1, hi: 1}}
	if got := moreRuns(row, e, marginsFor(0.05, true), 0.01); got != result.MoreCap {
		t.Errorf("%d more runs, want the cap", got)
	}
	e.ci = interval{lo: -0.03, hi: 0.03}
	if got := moreRuns(row, e, marginsFor(0.05, true), 0.01); got < 1 || got >= result.MoreCap-5 {
		t.Errorf("%d more runs for narrow noise", got)
	}
}
