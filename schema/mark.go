package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// markPrefix begins the comment on everything that is made here. It speaks to
// the DBA who finds the table; the JSON behind it speaks to Inspect.
const markPrefix = "made by qbench; qbench clean drops it: "

// markFormat is the version of the JSON in a mark. Format 1, which had no
// ledger, is still read; a qbench that knows only that one must not run on a
// queue with a ledger, since it would not keep it.
const (
	markFormat       = 2
	oldestMarkFormat = 1
)

// Made is what is found in a schema: the options it was made with and how far
// the making got.
type Made struct {
	Options
	// Seeded is false for a queue whose seeding was not finished.
	Seeded bool `json:"seeded"`
	// PartitionOrders is the number of seeded orders of each partition.
	PartitionOrders []int64 `json:"partition_orders,omitempty"`
	// Ledger is what the clients of the runs on the queue were told; nil where
	// there was none since the tables were made.
	Ledger *Ledger `json:"ledger,omitempty"`
}

type mark struct {
	Format int `json:"format"`
	Made
}

// setMark writes the comment on all tables of the workload.
func setMark(ctx context.Context, tx pgx.Tx, w *workload, m Made) error {
	return writeMark(ctx, tx, w.marked, m)
}

func writeMark(ctx context.Context, tx pgx.Tx, tables []string, m Made) error {
	text, err := json.Marshal(mark{Format: markFormat, Made: m})
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := comment(ctx, tx, "table "+qualified(m.Schema, table), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// comment marks an object; COMMENT takes a literal only, never a parameter.
func comment(ctx context.Context, tx pgx.Tx, object, text string) error {
	quoted, err := tx.Conn().PgConn().EscapeString(markPrefix + text)
	if err != nil {
		return fmt.Errorf("mark %s: %w", object, err)
	}
	if _, err := tx.Exec(ctx, "comment on "+object+" is '"+quoted+"'"); err != nil {
		return fmt.Errorf("mark %s: %w", object, err)
	}
	return nil
}

// Inspect returns what was made for a workload in a schema ("" for the current
// one), or nil if there is nothing with the mark.
func Inspect(ctx context.Context, conn *pgx.Conn, schema, workload string) (*Made, error) {
	w, err := lookup(workload)
	if err != nil {
		return nil, err
	}
	if schema, err = resolveSchema(ctx, conn, schema); err != nil {
		return nil, err
	}
	var made *Made
	err = InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
		made, err = inspect(ctx, tx, schema, w)
		return err
	})
	return made, err
}

func inspect(ctx context.Context, q querier, schema string, w *workload) (*Made, error) {
	var text string
	err := q.QueryRow(ctx, `
		select coalesce(obj_description(c.oid, 'pg_class'), '')
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`,
		schema, w.queue).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for %s in schema %q: %w", w.queue, schema, err)
	}
	return parseMark(schema, w.queue, text)
}

// parseMark reads the comment on a table; nil if it is not the mark.
func parseMark(schema, table, text string) (*Made, error) {
	text, ok := strings.CutPrefix(text, markPrefix)
	if !ok {
		return nil, nil
	}
	var m mark
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("the mark on table %s in schema %q cannot be read (%w): make the queue anew with \"qbench init\"", table, schema, err)
	}
	if m.Format < oldestMarkFormat || m.Format > markFormat {
		return nil, fmt.Errorf("table %s in schema %q was made by another version of qbench (mark %d, this is %d): make the queue anew with \"qbench init\"", table, schema, m.Format, markFormat)
	}
	m.Schema = schema
	return &m.Made, nil
}
