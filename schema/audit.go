package schema

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"qbench/runner"
)

// ClientCounts is what the clients of a run say they did; the audit holds it
// against the tables.
type ClientCounts struct {
	// Before is the number of orders that were recorded as done when the
	// clients started.
	Before int64
	// Acknowledged is the number of orders whose COMMIT the server confirmed.
	Acknowledged int64
	// InDoubt is the number of orders whose COMMIT was sent but not answered.
	InDoubt int64
	// Enqueued and EnqueuedInDoubt count the producers' orders likewise, and
	// Ranges holds every order number n that they may have used, all above
	// Options.Orders and without overlap.
	Enqueued, EnqueuedInDoubt int64
	Ranges                    []Range
}

// AuditTables recomputes the set of orders that there should be and proves
// that each is in exactly one table, exactly once, and that nothing else is in
// either. With clients (nil for none) it also checks that
//
//	acknowledged ≤ processed − before ≤ acknowledged + in doubt
//
// and the same for what producers enqueued. A failed proof is no error: it is
// in the result's Problems.
func AuditTables(ctx context.Context, conn *pgx.Conn, m *Made, clients *ClientCounts) (*runner.Audit, error) {
	if !m.Seeded {
		return nil, fmt.Errorf("the seeding of the queue in schema %q was not finished, so there is nothing to audit: make it anew with \"qbench init\"", m.Schema)
	}
	var cases []auditCase
	// A snapshot of its own keeps both tables at one moment even while
	// clients are still at work.
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := inSchema(ctx, conn, m.Schema, o, func(tx pgx.Tx) error {
		// Without statistics of the recomputed set the planner expects few
		// groups, and would aggregate in parallel and then sort them all.
		_, err := tx.Exec(ctx, "select set_config('work_mem', $1, true), set_config('max_parallel_workers_per_gather', '0', true)", auditMemory(m, clients))
		if err != nil {
			return err
		}
		var first, last []int64
		if clients != nil {
			for _, r := range clients.Ranges {
				first, last = append(first, r.First), append(last, r.Last)
			}
		}
		rows, err := tx.Query(ctx, readSQL("orders/audit.sql", nil), strconv.FormatUint(m.Seed, 10), m.Orders, first, last)
		if err != nil {
			return err
		}
		cases, err = pgx.CollectRows(rows, pgx.RowToStructByPos[auditCase])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("audit the tables in schema %q: %w", m.Schema, err)
	}
	return judge(m.Orders, cases, clients), nil
}

// auditMemory is a work_mem (in kB) that holds the hash table of the audit,
// about 150 bytes an order, within reason: beyond it the aggregate spills.
func auditMemory(m *Made, clients *ClientCounts) string {
	n := m.Orders
	if clients != nil {
		for _, r := range clients.Ranges {
			n += r.Last - r.First + 1
		}
	}
	return strconv.FormatInt(min(max(n*150/1024, 4<<10), 1<<20), 10)
}
