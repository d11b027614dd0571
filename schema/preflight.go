package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Preflight reports, without touching anything, why Create would not be able
// to make the tables: a server that is too old or read-only, a missing right,
// or names that are taken by something qbench did not make.
func Preflight(ctx context.Context, conn *pgx.Conn, o Options) error {
	o, err := o.Normalize()
	if err != nil {
		return err
	}
	if o.Schema, err = resolveSchema(ctx, conn, o.Schema); err != nil {
		return err
	}
	return InCatalog(ctx, conn, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := checkServer(ctx, tx); err != nil {
			return err
		}
		exists, err := checkRights(ctx, tx, o.Schema)
		if err != nil || !exists {
			return err
		}
		return checkNames(ctx, tx, o)
	})
}

func checkServer(ctx context.Context, q querier) error {
	var num int
	var version string
	var standby, readOnly bool
	err := q.QueryRow(ctx, `
		select current_setting('server_version_num')::int, current_setting('server_version'),
		       pg_is_in_recovery(), current_setting('transaction_read_only')::bool`).
		Scan(&num, &version, &standby, &readOnly)
	switch {
	case err != nil:
		return fmt.Errorf("ask the server for its version: %w", err)
	case num < MinServerVersion:
		return fmt.Errorf("the server is PostgreSQL %s, which is too old: qbench needs %d or newer", version, MinServerVersion/10000)
	case standby:
		return errors.New("the server is a standby (in recovery) and takes no writes: connect to the primary")
	case readOnly:
		return errors.New("the connection is read-only: set default_transaction_read_only = off, or connect to a server that takes writes")
	}
	return nil
}

// checkRights reports whether the schema exists; it is an error if this role
// may neither use it nor make it.
func checkRights(ctx context.Context, q querier, schema string) (exists bool, err error) {
	var role, database string
	var schemaRight *bool
	var databaseRight bool
	err = q.QueryRow(ctx, `
		select current_user::text, current_database()::text,
		       (select has_schema_privilege(oid, 'CREATE') and has_schema_privilege(oid, 'USAGE')
		        from pg_namespace where nspname = $1),
		       has_database_privilege(current_database(), 'CREATE')`, schema).
		Scan(&role, &database, &schemaRight, &databaseRight)
	switch {
	case err != nil:
		return false, fmt.Errorf("ask for the rights in schema %q: %w", schema, err)
	case schemaRight == nil && !databaseRight:
		return false, fmt.Errorf("there is no schema %q, and role %q may not create it in database %q: grant create on database, or name another schema with --schema-name", schema, role, database)
	case schemaRight != nil && !*schemaRight:
		return true, fmt.Errorf("role %q may not create tables in schema %q: grant usage, create on schema, or name another schema with --schema-name", role, schema)
	}
	return schemaRight != nil, nil
}

// relationKinds are pg_class.relkind's letters in words.
var relationKinds = map[string]string{
	"r": "table", "p": "table", "i": "index", "I": "index", "S": "sequence",
	"v": "view", "m": "materialized view", "f": "foreign table", "c": "type",
}

// checkNames refuses names that are taken by what qbench did not make or may
// not drop.
func checkNames(ctx context.Context, q querier, o Options) error {
	w, err := lookup(o.Workload)
	if err != nil {
		return err
	}
	rows, err := q.Query(ctx, readSQL("taken.sql", o.Schema, nil), o.Schema, w.relations(o), markPrefix)
	if err != nil {
		return fmt.Errorf("look for taken names in schema %q: %w", o.Schema, err)
	}
	type relation struct {
		Name, Kind string
		Made, Ours bool
	}
	taken, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		return fmt.Errorf("look for taken names in schema %q: %w", o.Schema, err)
	}
	// A foreign table hides behind its indexes and sequences otherwise.
	slices.SortStableFunc(taken, func(a, b relation) int {
		return strings.Compare(rank(a.Kind), rank(b.Kind))
	})
	for _, r := range taken {
		kind := relationKinds[r.Kind]
		if !r.Made {
			return fmt.Errorf("%s %s in schema %q was not made by qbench and is left alone: name another schema with --schema-name", kind, r.Name, o.Schema)
		}
		if !r.Ours {
			return fmt.Errorf("%s %s in schema %q was made by qbench under another role: connect as its owner, or name another schema with --schema-name", kind, r.Name, o.Schema)
		}
	}
	if err := checkTypes(ctx, q, w, o.Schema); err != nil {
		return err
	}
	return checkFunctions(ctx, q, o)
}

// checkTypes refuses type names that are taken, by a table's row type too.
func checkTypes(ctx context.Context, q querier, w *workload, schema string) error {
	var name string
	err := q.QueryRow(ctx, `
		select t.typname::text from pg_type t join pg_namespace n on n.oid = t.typnamespace
		where n.nspname = $1 and t.typname = any($2::text[])
		  and not coalesce(starts_with(obj_description(t.oid, 'pg_type'), $3::text) and pg_has_role(t.typowner, 'USAGE'), false)
		order by 1 limit 1`, schema, w.types, markPrefix).Scan(&name)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for types in schema %q: %w", schema, err)
	}
	return fmt.Errorf("type %s in schema %q was not made by qbench, or under another role, and is left alone: name another schema with --schema-name", name, schema)
}

func rank(kind string) string {
	if relationKinds[kind] == "table" {
		return "0"
	}
	return "1" + kind
}

func checkFunctions(ctx context.Context, q querier, o Options) error {
	rows, err := q.Query(ctx, `
		select p.proname::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
		where n.nspname = $1 and p.proname = any($2::text[])
		  and not coalesce(starts_with(obj_description(p.oid, 'pg_proc'), $3), false)`,
		o.Schema, o.Functions, markPrefix)
	if err != nil {
		return fmt.Errorf("look for functions in schema %q: %w", o.Schema, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for functions in schema %q: %w", o.Schema, err)
	}
	if len(names) > 0 {
		return fmt.Errorf("function %s in schema %q was not made by qbench and is left alone: name another schema with --schema-name", names[0], o.Schema)
	}
	return nil
}
