package schema

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"qbench/internal/result"

	"github.com/jackc/pgx/v5"
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
	// EnqueuedBefore is the number of producers' orders that were there, queued
	// or done, when the clients started.
	EnqueuedBefore int64
	// Enqueued and EnqueuedInDoubt count the producers' orders likewise.
	Enqueued, EnqueuedInDoubt int64
	// Of InDoubtUnknown orders in doubt, and producers' ones likewise, no upper
	// bound is known: the number is the least.
	InDoubtUnknown, EnqueuedInDoubtUnknown bool
}

// AuditTables recomputes the set of orders that there should be and proves
// that each is in exactly one table, exactly once, and that nothing else is in
// either. With clients (nil for none) it also checks that
//
//	acknowledged ≤ processed − before ≤ acknowledged + in doubt
//
// and the same for what producers enqueued. The orders that may be there are
// numbered up to the last value of the queue's sequence, which producers number
// theirs from; a number beyond the seeded ones that is nowhere is no loss (its
// transaction may have been rolled back) as long as the counts hold. A failed proof is no error: it is
// in the result's Problems.
func AuditTables(ctx context.Context, conn *pgx.Conn, m *Made, clients *ClientCounts) (*result.Audit, error) {
	if err := m.auditable(); err != nil {
		return nil, err
	}
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, err
	}
	cases, _, err := readCases(ctx, conn, w, m, false)
	if err != nil {
		return nil, err
	}
	return m.judge(cases, clients), nil
}

// auditable is nil for a queue that is complete.
func (m *Made) auditable() error {
	if !m.Seeded {
		return fmt.Errorf("the seeding of the queue in schema %q was not finished, so there is nothing to audit: re-create it with \"qbench init\"", m.Schema)
	}
	return nil
}

// readCases reads what the audit judges, in one snapshot. With reread it is of
// the mark as that snapshot has it, which is returned.
func readCases(ctx context.Context, conn *pgx.Conn, w *workload, m *Made, reread bool) (cases []auditCase, _ *Made, err error) {
	// A snapshot of its own keeps all tables at one moment even while clients
	// are still at work.
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = InCatalog(ctx, conn, o, func(tx pgx.Tx) error {
		if reread {
			now, err := inspect(ctx, tx, m.Schema, w)
			if err != nil {
				return err
			}
			if now == nil || !now.Seeded {
				return errors.New("the queue was replaced just now: try again")
			}
			m = now
		}
		// Asked within the snapshot, the sequence, which knows no snapshots, is
		// at or beyond every number that can be seen.
		last, err := lastNumber(ctx, tx, m.Schema, w)
		if err != nil {
			return err
		}
		// Without statistics of the recomputed set the planner expects few
		// groups, and would aggregate in parallel and then sort them all.
		_, err = tx.Exec(ctx, "select set_config('work_mem', $1, true), set_config('max_parallel_workers_per_gather', '0', true)", auditMemory(max(last, m.Orders)))
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, readSQL(w.name+"/audit.sql", m.Schema, auditValues(m)), strconv.FormatUint(m.Seed, 10), m.Orders, last)
		if err != nil {
			return err
		}
		cases, err = pgx.CollectRows(rows, pgx.RowToStructByPos[auditCase])
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("audit the tables in schema %q: %w", m.Schema, err)
	}
	return cases, m, nil
}

// lastNumber is the highest order number that may have been given out.
func lastNumber(ctx context.Context, q querier, schema string, w *workload) (n int64, err error) {
	var sequence string
	if err := q.QueryRow(ctx, "select pg_get_serial_sequence($1, 'id')", qualified(schema, w.queue)).Scan(&sequence); err != nil {
		return 0, err
	}
	err = q.QueryRow(ctx, "select case when is_called then last_value else last_value - 1 end from "+sequence).Scan(&n)
	return n, err
}

// auditMemory is a work_mem (in kB) that holds the hash table of an audit of n
// orders, about 150 bytes each, within reason: beyond it the aggregate spills.
func auditMemory(n int64) string {
	return strconv.FormatInt(min(max(n*150/1024, 4<<10), 1<<20), 10)
}

// auditValues are what the audits of some workloads need besides the set.
func auditValues(m *Made) map[string]string {
	return map[string]string{"priorities": strconv.Itoa(m.Priorities), "entrypoints": strconv.Itoa(m.Entrypoints)}
}
