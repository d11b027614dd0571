package report

import (
	"fmt"

	"qbench/internal/result"
)

// AuditState is what is known about a run's orders, from the best to the
// worst: several runs together are as good as the worst of them.
type AuditState int

// The states of an audit.
const (
	AuditNone    AuditState = iota // the run had no queue
	AuditOK                        // each order was handled exactly once
	AuditMissing                   // there was a queue, but no audit of it
	AuditFailed                    // orders were lost, duplicated or foreign
)

// AuditOf is what a run's audit came to.
func AuditOf(r *result.Run) AuditState {
	switch {
	case r.Audit == nil && r.Workload == "":
		return AuditNone
	case !r.Audit.Made():
		return AuditMissing
	case r.Audit.OK:
		return AuditOK
	}
	return AuditFailed
}

// whyMissing says why a run was not audited, as it follows on that; "" where the
// file does not say.
func whyMissing(r *result.Run) string {
	if r.Audit == nil || r.Audit.Reason == "" {
		return ""
	}
	return ": " + clean(r.Audit.Reason)
}

// String is the state as tables have it.
func (s AuditState) String() string {
	return [...]string{"none", "ok", "NOT AUDITED", "FAILED"}[s]
}

// Proved tells whether the numbers may be used as they are.
func (s AuditState) Proved() bool { return s <= AuditOK }

// shareIn says in how many of several runs the audit came to this.
func (s AuditState) shareIn(runs []*result.Run) string {
	if len(runs) < 2 {
		return ""
	}
	n := 0
	for _, r := range runs {
		if AuditOf(r) == s {
			n++
		}
	}
	return fmt.Sprintf(" in %d of %d runs", n, len(runs))
}
