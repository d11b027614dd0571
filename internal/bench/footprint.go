package bench

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"qbench/schema"
)

// Footprint is what a queue's table takes on the server at a moment, its
// partitions included and what is done left out.
type Footprint struct {
	TableBytes int64
	IndexBytes int64
	DeadTuples int64 // as the server estimates them between two vacuums
}

// queues are the tables that clients take from, by workload.
var queues = map[string]string{"orders": "t_order_q", "claims": "queue", "jobs": "jobs"}

// Footprint looks at the queue of a workload through a connection of the
// target's.
func (t *Target) Footprint(ctx context.Context, conn *pgx.Conn, workload string) (Footprint, error) {
	var f Footprint
	table, ok := queues[workload]
	if !ok {
		return f, fmt.Errorf("the workload %q has no queue to look at", workload)
	}
	made, err := schema.Inspect(ctx, conn, t.Schema, workload)
	if err == nil && made == nil {
		err = fmt.Errorf("there is no table %s that qbench made", table)
	}
	if err != nil {
		return f, fmt.Errorf("ask for the size of the queue: %w", err)
	}
	// A partitioned table has no storage; a plain one is no partition tree.
	err = schema.InCatalog(ctx, conn, readOnly, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			select sum(pg_table_size(rel))::bigint, sum(pg_indexes_size(rel))::bigint, sum(pg_stat_get_dead_tuples(rel))::bigint
			from (select $1::text::regclass::oid as rel union select relid from pg_partition_tree($1::text::regclass)) parts`,
			pgx.Identifier{made.Schema, table}.Sanitize()).
			Scan(&f.TableBytes, &f.IndexBytes, &f.DeadTuples)
	})
	if err != nil {
		return f, fmt.Errorf("ask for the size of the queue: %w", err)
	}
	return f, nil
}
