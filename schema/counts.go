package schema

import (
	"context"
	"fmt"

	"qbench/internal/result"

	"github.com/jackc/pgx/v5"
)

// Depth counts the orders in the queue, claimed ones included.
func Depth(ctx context.Context, conn *pgx.Conn, m *Made) (int64, error) {
	return m.count(ctx, conn, (*workload).depth)
}

// Free counts the orders in the queue that nobody has claimed.
func Free(ctx context.Context, conn *pgx.Conn, m *Made) (int64, error) {
	return m.count(ctx, conn, func(w *workload) string { return "select n from (" + w.waiting + ") as waiting (n)" })
}

// Processed counts the orders that are recorded as done.
func Processed(ctx context.Context, conn *pgx.Conn, m *Made) (int64, error) {
	return m.count(ctx, conn, func(w *workload) string { return w.done })
}

func (m *Made) count(ctx context.Context, conn *pgx.Conn, query func(*workload) string) (n int64, err error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return 0, err
	}
	err = InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, fill(query(w), m.Schema, nil)).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count the orders of the workload %q in schema %q: %w", m.Workload, m.Schema, err)
	}
	return n, nil
}

// Analyze renews the statistics of tables that an earlier run has left: they
// are of a queue that is no more.
func Analyze(ctx context.Context, conn *pgx.Conn, m *Made) error {
	w, err := lookup(m.Workload)
	if err != nil {
		return err
	}
	for _, table := range w.marked {
		name := qualified(m.Schema, table)
		if _, err := conn.Exec(ctx, "analyze "+name); err != nil {
			return fmt.Errorf("analyze %s: %w", name, err)
		}
	}
	return nil
}

// PartitionUse says how evenly a partitioned queue has been drained since it
// was seeded; nil for the other layouts. A partition without any seeded order
// counts as touched.
func PartitionUse(ctx context.Context, conn *pgx.Conn, m *Made) (*result.PartitionUse, error) {
	if m.Layout != Partitioned {
		return nil, nil
	}
	var parts []partitionCount
	err := InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		parts, err = partitionCounts(ctx, tx, m.Options)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(parts) != len(m.PartitionOrders) {
		return nil, fmt.Errorf("the queue in schema %q has %d partitions, but was seeded with %d: make it anew with \"qbench init\"", m.Schema, len(parts), len(m.PartitionOrders))
	}
	use := &result.PartitionUse{Partitions: len(parts), Min: parts[0].total}
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

func partitionCounts(ctx context.Context, q querier, o Options) ([]partitionCount, error) {
	rows, err := q.Query(ctx, readSQL("orders/partition-counts.sql", o.Schema, nil), o.Orders, qualified(o.Schema, "t_order_q"))
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
