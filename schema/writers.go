package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Writer is another session with an open transaction that writes to the tables.
type Writer struct {
	PID   int32
	State string // of pg_stat_activity; "" where this role may not know
}

// Writers lists the transactions under way that have changed, or locked rows
// of, the workload's tables, but for the connection's own. They are known by
// their locks, which every role may read.
func Writers(ctx context.Context, conn *pgx.Conn, m *Made) ([]Writer, error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, readSQL("writers.sql", "", nil), m.Schema, w.marked)
	if err != nil {
		return nil, fmt.Errorf("look for transactions on the tables in schema %q: %w", m.Schema, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Writer])
	if err != nil {
		return nil, fmt.Errorf("look for transactions on the tables in schema %q: %w", m.Schema, err)
	}
	return list, nil
}
