package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Identity is what a script's names have to mean on each connection: the
// objects that Create made, by their oids. A connection pooler, a role's
// search_path or a temporary table can make them mean something else.
type Identity struct {
	Schema   string
	database uint32
	names    []named
}

// named is a name as scripts write it, how the server looks it up, and what it
// should find.
type named struct {
	name, lookup string
	oid          uint32
}

// Identify reads what the names of the queue should mean.
func Identify(ctx context.Context, conn *pgx.Conn, m *Made) (*Identity, error) {
	w, err := lookup(m.Workload)
	if err != nil {
		return nil, err
	}
	id := &Identity{Schema: m.Schema}
	err = InCatalog(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "select oid from pg_database where datname = current_database()").Scan(&id.database); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, readSQL("names.sql", m.Schema, nil), m.Schema, w.relations(m.Options), m.Functions, w.types, markPrefix)
		if err != nil {
			return err
		}
		id.names, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (n named, err error) {
			return n, row.Scan(&n.name, &n.lookup, &n.oid)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask what the names of the queue in schema %q mean: %w", m.Schema, err)
	}
	return id, nil
}

// query asks a connection what the names mean on it. Its own names are
// qualified, since it runs with the search_path that is in question.
// Partitions are left out: their schema comes first, so theirs is its meaning.
func (id *Identity) query() string {
	var b strings.Builder
	b.WriteString("select (select d.oid from pg_catalog.pg_database d where d.datname operator(pg_catalog.=) pg_catalog.current_database()), " +
		"pg_catalog.current_schema(), pg_catalog.current_setting('search_path')")
	for _, n := range id.names {
		fmt.Fprintf(&b, ", pg_catalog.%s(%s)::pg_catalog.oid", n.lookup, quoteLiteral(n.name))
	}
	return b.String()
}

// MismatchError is a connection on which names mean something else than the
// tables that qbench made.
type MismatchError struct {
	Want string // what they should mean
	Got  string // what they mean, in words
	Path string // the connection's search_path
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s (search_path is %s)", e.Got, e.Path)
}

// Verify reports whether the names mean the queue's objects on a connection:
// in each of its transactions that begins with SET LOCAL search_path to path,
// or for "" in its session. It reads nothing of the tables and leaves nothing
// behind. An error is a *MismatchError where they mean something else.
func (id *Identity) Verify(ctx context.Context, conn *pgconn.PgConn, path string) error {
	row, err := ask(ctx, conn, path, id.query())
	if err != nil {
		return fmt.Errorf("ask a connection what the names of the queue mean: %w", err)
	}
	mismatch := &MismatchError{Want: id.Schema, Path: row[2]}
	if row[0] != fmt.Sprint(id.database) {
		mismatch.Got = "the connection is to another database"
		return mismatch
	}
	for i, n := range id.names {
		if got := row[3+i]; got != fmt.Sprint(n.oid) {
			mismatch.Got = fmt.Sprintf("%s means %s, not %s in schema %q", n.name, describe(ctx, conn, path, n.lookup, got), n.name, id.Schema)
			return mismatch
		}
	}
	if row[1] != id.Schema {
		mismatch.Got = fmt.Sprintf("schema %q comes before %q", row[1], id.Schema)
		return mismatch
	}
	return nil
}

// describe names what a name means instead, as far as it can be found out.
func describe(ctx context.Context, conn *pgconn.PgConn, path, lookup, oid string) string {
	catalog := map[string][2]string{"to_regclass": {"pg_class", "rel"}, "to_regprocedure": {"pg_proc", "pro"}, "to_regtype": {"pg_type", "typ"}}[lookup]
	if oid == "" {
		return "nothing"
	}
	row, err := ask(ctx, conn, path, fmt.Sprintf("select pg_catalog.format('%%I.%%I', n.nspname, o.%[2]sname) from pg_catalog.%[1]s o "+
		"join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) o.%[2]snamespace where o.oid operator(pg_catalog.=) %[3]s", catalog[0], catalog[1], oid))
	if err != nil {
		return "another object"
	}
	return row[0]
}

// ask runs a query of one row as a simple query, in one message even with a
// search_path of its own, so that a pooler runs all of it in one place.
func ask(ctx context.Context, conn *pgconn.PgConn, path, query string) ([]string, error) {
	if path != "" {
		query = "begin; set local search_path = " + path + "; " + query + "; commit"
	}
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if len(r.Rows) == 1 {
			var texts []string
			for _, v := range r.Rows[0] {
				texts = append(texts, string(v))
			}
			return texts, nil
		}
	}
	return nil, errors.New("the server gave no row")
}
