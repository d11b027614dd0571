package report

import (
	"fmt"
	"io"
	"strings"

	"qbench/internal/result"
)

// ChecksJUnit writes runs and the conditions put on them (--fail-if) as JUnit XML:
// a run is a class, and its audit, its clients and each condition are tests. A
// condition that is true is a failure; an undecided one is too unless pass, which
// skips it. What makes the numbers worthless or incomplete is an error.
func ChecksJUnit(w io.Writer, runs []*result.Run, checks []result.Check, pass bool) error {
	suite := junitSuite{Name: "qbench run"}
	for i, r := range runs {
		class := r.Configuration.String()
		if len(runs) > 1 {
			class = fmt.Sprintf("run %d of %d: %s", i+1, len(runs), class)
		}
		class = clean(class)
		suite.Cases = append(suite.Cases, soundness(class, r)...)
		for _, c := range checks {
			if c.Run != r {
				continue
			}
			test := junitCase{Class: class, Name: c.Threshold.String(), Out: c.Value}
			switch {
			case c.Truth == result.True:
				test.Failure = &junitResult{Message: c.Value, Type: "failed"}
			case c.Truth == result.Unknown && pass:
				test.Skipped = &junitResult{Message: "undecided: " + c.Value}
			case c.Truth == result.Unknown:
				test.Failure = &junitResult{Message: "undecided: " + c.Value, Type: "undecided"}
			}
			suite.Cases = append(suite.Cases, test)
		}
	}
	return writeJUnit(w, suite)
}

// soundness are the tests of what the numbers rest on.
func soundness(class string, r *result.Run) []junitCase {
	clients := junitCase{Class: class, Name: "clients"}
	switch aborted := Aborted(r); {
	case r.Interrupted:
		clients.Error = &junitResult{Message: "the run was interrupted", Type: "interrupted"}
	case aborted != "":
		clients.Error = &junitResult{Message: clean(aborted + " aborted: " + firstCause(r)), Type: "aborted"}
	}
	cases := []junitCase{clients}
	audit := junitCase{Class: class, Name: "audit"}
	switch AuditOf(r) {
	case AuditNone:
		return cases
	case AuditMissing:
		audit.Error = &junitResult{Message: "NOT AUDITED" + whyMissing(r), Type: "audit"}
	case AuditFailed:
		audit.Error = &junitResult{Message: clean(strings.Join(r.Audit.Problems, "; ")), Type: "audit"}
	}
	return append(cases, audit)
}
