package bench

import (
	"context"

	"github.com/jackc/pgx/v5"

	"qbench/internal/result"
	"qbench/schema"
)

// CheckQueue audits a queue as it is, with the clients' counts that the runs on
// it left. It takes no lock: the tables and the counts are read in one snapshot.
// It also returns the mark of that snapshot.
func (t *Target) CheckQueue(ctx context.Context, conn *pgx.Conn, m *schema.Made) (*result.Audit, *schema.Made, error) {
	before, inUse, err := t.Holder(ctx, conn)
	if err != nil {
		return nil, nil, err
	}
	audit, made, err := schema.AuditKept(ctx, conn, m)
	if err != nil || audit.Made() {
		return audit, made, err
	}
	if l := made.Ledger; l == nil || l.Running == nil {
		return audit, made, nil
	}
	// The run may have begun, or have ended, during the audit.
	if !inUse {
		if before, inUse, err = t.Holder(ctx, conn); err != nil {
			return nil, nil, err
		}
	}
	if !inUse {
		now, err := schema.Inspect(ctx, conn, t.Schema, made.Workload)
		if err != nil {
			return nil, nil, err
		}
		inUse = now == nil || now.Ledger == nil || now.Ledger.Running == nil || now.Ledger.Running.ID != made.Ledger.Running.ID
	}
	if inUse {
		audit.Reason = "a run is going on" + before.String() + ": check again when it has ended"
	}
	return audit, made, nil
}
