package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Drop drops every table, routine and type of a schema ("" for the current one)
// that bears the mark and a name that qbench gives, and the schema itself if
// qbench made it and nothing else is in it. It returns in words what was
// dropped, and what it kept because it was renamed: whoever did that wants it.
// It is one transaction.
func Drop(ctx context.Context, conn *pgx.Conn, schema string) (dropped, kept []string, err error) {
	if schema, err = resolveSchema(ctx, conn, schema); err != nil {
		return nil, nil, err
	}
	err = InCatalog(ctx, conn, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		objects, err := marked(ctx, tx, schema)
		if err != nil {
			return err
		}
		objects = slices.DeleteFunc(objects, func(o object) bool {
			renamed := !slices.ContainsFunc(workloads, func(w *workload) bool { return w.makes(o) })
			if renamed {
				kept = append(kept, o.Kind+" "+o.Reference)
			}
			return renamed
		})
		if err := dropObjects(ctx, tx, objects); err != nil {
			return err
		}
		for _, o := range objects {
			dropped = append(dropped, o.Kind+" "+o.Reference)
		}
		gone, err := dropSchema(ctx, tx, schema)
		if gone {
			dropped = append(dropped, "schema "+pgx.Identifier{schema}.Sanitize())
		}
		return err
	})
	if err != nil {
		return nil, nil, explain(err, schema)
	}
	return dropped, kept, nil
}

// makes tells whether an object bears a name that the workload gives.
func (w *workload) makes(o object) bool {
	switch o.Kind {
	case "table":
		return slices.Contains(w.marked, o.Name)
	case "type":
		return slices.Contains(w.types, o.Name)
	}
	return slices.Contains(w.routines, o.Name)
}

type object struct{ Kind, Name, Reference, Comment string }

func marked(ctx context.Context, q querier, schema string) ([]object, error) {
	rows, err := q.Query(ctx, readSQL("marked.sql", schema, nil), schema, markPrefix)
	if err != nil {
		return nil, fmt.Errorf("look for marked tables in schema %q: %w", schema, err)
	}
	objects, err := pgx.CollectRows(rows, pgx.RowToStructByPos[object])
	if err != nil {
		return nil, fmt.Errorf("look for marked tables in schema %q: %w", schema, err)
	}
	return objects, nil
}

// dropMarked drops what an earlier Create made for the workload.
func dropMarked(ctx context.Context, tx pgx.Tx, schema string, w *workload) error {
	objects, err := marked(ctx, tx, schema)
	if err != nil {
		return err
	}
	objects = slices.DeleteFunc(objects, func(o object) bool {
		return !w.makes(o)
	})
	return dropObjects(ctx, tx, objects)
}

// dropObjects drops all tables in one statement and never with CASCADE: a
// user's view on the queue is not ours to take away.
func dropObjects(ctx context.Context, tx pgx.Tx, objects []object) error {
	byKind := map[string][]string{}
	for _, o := range objects {
		byKind[o.Kind] = append(byKind[o.Kind], o.Reference)
	}
	for _, kind := range []string{"function", "procedure", "table", "type"} {
		if len(byKind[kind]) == 0 {
			continue
		}
		list := strings.Join(byKind[kind], ", ")
		if _, err := tx.Exec(ctx, "drop "+kind+" "+list); err != nil {
			return fmt.Errorf("drop %s: %w", list, err)
		}
	}
	return nil
}

// dropSchema drops a schema with the mark unless something is left in it.
func dropSchema(ctx context.Context, tx pgx.Tx, schema string) (gone bool, err error) {
	var made bool
	err = tx.QueryRow(ctx, `
		select coalesce((select starts_with(obj_description(oid, 'pg_namespace'), $2)
		                 from pg_namespace where nspname = $1), false)`, schema, markPrefix).Scan(&made)
	if err != nil {
		return false, fmt.Errorf("look for the mark on schema %q: %w", schema, err)
	}
	if !made {
		return false, nil
	}
	// The server knows best what "empty" means, so it is asked by trying.
	err = pgx.BeginFunc(ctx, tx, func(sp pgx.Tx) error {
		_, err := sp.Exec(ctx, "drop schema "+pgx.Identifier{schema}.Sanitize())
		return err
	})
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "2BP01" {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("drop schema %q: %w", schema, err)
	}
	return true, nil
}
