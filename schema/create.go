package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Create makes the tables of a workload, empty and still without the queue's
// indexes (Seed builds them), in place of those that an earlier Create made.
// It is one transaction: after an error everything is as it was.
//
// A schema that does not exist is made too, and marked as such.
func Create(ctx context.Context, conn *pgx.Conn, o Options) error {
	o, err := o.Normalize()
	if err != nil {
		return err
	}
	if o.Schema, err = resolveSchema(ctx, conn, o.Schema); err != nil {
		return err
	}
	w, err := lookup(o.Workload)
	if err != nil {
		return err
	}
	return explain(InCatalog(ctx, conn, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		exists, err := checkRights(ctx, tx, o.Schema)
		if err != nil {
			return err
		}
		if exists {
			// Once more, inside: what Preflight saw may have changed.
			if err := checkNames(ctx, tx, o); err != nil {
				return err
			}
			if err := dropMarked(ctx, tx, o.Schema, w); err != nil {
				return err
			}
		} else if err := createSchema(ctx, tx, o.Schema); err != nil {
			return err
		}
		return createAll(ctx, tx, w, o)
	}), o.Schema)
}

func createAll(ctx context.Context, tx pgx.Tx, w *workload, o Options) error {
	for _, sql := range w.create(o) {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("create the tables of %s in schema %q: %w", w.name, o.Schema, err)
		}
	}
	for _, f := range o.Functions {
		if _, err := tx.Exec(ctx, readSQL(w.name+"/function-"+f+".sql", o.Schema, nil)); err != nil {
			return fmt.Errorf("create the function %s in schema %q: %w", f, o.Schema, err)
		}
		if err := comment(ctx, tx, "routine "+qualified(o.Schema, f), w.name); err != nil {
			return err
		}
	}
	for _, t := range w.types {
		if err := comment(ctx, tx, "type "+qualified(o.Schema, t), w.name); err != nil {
			return err
		}
	}
	return setMark(ctx, tx, w, Made{Options: o})
}

func createSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	name := pgx.Identifier{schema}.Sanitize()
	if _, err := tx.Exec(ctx, "create schema "+name); err != nil {
		return fmt.Errorf("create schema %q: %w", schema, err)
	}
	return comment(ctx, tx, "schema "+name, "schema")
}

func boundLocks(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "set local lock_timeout = '"+lockTimeout+"'"); err != nil {
		return fmt.Errorf("bound the wait for locks: %w", err)
	}
	return nil
}
