package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"qbench/runner"
)

// Depth counts the orders left in the queue.
func Depth(ctx context.Context, conn *pgx.Conn, m *Made) (int64, error) {
	return countRows(ctx, conn, m, func(w *workload) string { return w.queue })
}

// Processed counts the orders that are recorded as done.
func Processed(ctx context.Context, conn *pgx.Conn, m *Made) (int64, error) {
	return countRows(ctx, conn, m, func(w *workload) string { return w.result })
}

func countRows(ctx context.Context, conn *pgx.Conn, m *Made, table func(*workload) string) (int64, error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return 0, err
	}
	name := pgx.Identifier{m.Schema, table(w)}.Sanitize()
	var n int64
	if err := conn.QueryRow(ctx, "select count(*) from "+name).Scan(&n); err != nil {
		return 0, fmt.Errorf("count the orders in %s: %w", name, err)
	}
	return n, nil
}

// PartitionUse says how evenly a partitioned queue has been drained since it
// was seeded; nil for the other layouts. A partition without any seeded order
// counts as touched.
func PartitionUse(ctx context.Context, conn *pgx.Conn, m *Made) (*runner.PartitionUse, error) {
	if m.Layout != Partitioned {
		return nil, nil
	}
	var parts []partitionCount
	err := inSchema(ctx, conn, m.Schema, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		parts, err = partitionCounts(ctx, tx, m.Orders)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(parts) != len(m.PartitionOrders) {
		return nil, fmt.Errorf("the queue in schema %q has %d partitions, but was seeded with %d: make it anew with \"qbench init\"", m.Schema, len(parts), len(m.PartitionOrders))
	}
	use := &runner.PartitionUse{Partitions: len(parts), Min: parts[0].total}
	for i, p := range parts {
		// Orders that producers added say nothing about what was taken.
		if p.seeded > 0 && p.seeded == m.PartitionOrders[i] {
			use.Untouched++
			use.Left += p.total
		}
		use.Min = min(use.Min, p.total)
		use.Max = max(use.Max, p.total)
	}
	return use, nil
}

type partitionCount struct{ total, seeded int64 }

func partitionCounts(ctx context.Context, q querier, orders int64) ([]partitionCount, error) {
	rows, err := q.Query(ctx, readSQL("orders/partition-counts.sql", nil), orders)
	if err != nil {
		return nil, fmt.Errorf("count the orders in the partitions: %w", err)
	}
	counts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p partitionCount, err error) {
		return p, row.Scan(&p.total, &p.seeded)
	})
	if err != nil {
		return nil, fmt.Errorf("count the orders in the partitions: %w", err)
	}
	return counts, nil
}
