package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Within InCatalog names are PostgreSQL's own and no time limit of the role
// applies; afterwards the session is as it was.
func TestInCatalogLeavesTheSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.session("set search_path = public; set statement_timeout = '11s'; set lock_timeout = '12s'; set idle_in_transaction_session_timeout = '13s'")
	const state = "select concat_ws(' ', current_setting('search_path'), current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'))"
	var within, after string
	err := InCatalog(t.Context(), f.conn, pgx.TxOptions{}, func(tx pgx.Tx) error { return tx.QueryRow(t.Context(), state).Scan(&within) })
	if err != nil {
		t.Fatal(err)
	}
	if err := f.conn.QueryRow(t.Context(), state).Scan(&after); err != nil {
		t.Fatal(err)
	}
	if want := "pg_catalog, pg_temp 0 0 0"; within != want {
		t.Errorf("within: %s, want %s", within, want)
	}
	if want := "public 11s 12s 13s"; after != want {
		t.Errorf("afterwards: %s, want %s", after, want)
	}
}

// An error about a lock names no holder: only pg_locks knows it.
func TestLockErrorsBlameNoOtherQbench(t *testing.T) {
	t.Parallel()
	err := explain(&pgconn.PgError{Code: "55P03", Message: "canceling statement due to lock timeout"}, "s")
	if text := err.Error(); strings.Contains(text, "another qbench") || !strings.Contains(text, `another session holds a lock on the tables in schema "s" (pg_locks says which)`) {
		t.Error(text)
	}
	err = explain(&pgconn.PgError{Code: "57014", Message: "canceling statement due to statement timeout"}, "s")
	if !strings.Contains(err.Error(), "raise statement_timeout for the role") {
		t.Error(err)
	}
}

// Schemas may have any name, in every statement of every workload.
func TestSchemasOfAnyName(t *testing.T) {
	t.Parallel()
	const name = `it's "$$" $q0$ %I %1$s \ /*schema*/x`
	for _, w := range workloads {
		for _, layout := range w.layouts {
			f := newFixture(t)
			f.schema = name + " " + f.schema[len(f.schema)-8:]
			o := f.options(layout)
			o.Workload, o.Functions, o.PayloadBytes = w.name, nil, 5
			for _, r := range w.routines {
				if at := w.routineLayout[r]; at == "" || at == layout {
					o.Functions = append(o.Functions, r)
				}
			}
			f.create(o)
			if _, err := Seed(t.Context(), f.connect, o, nil); err != nil {
				t.Fatal(err)
			}
			made, err := Inspect(t.Context(), f.conn, f.schema, w.name)
			if err != nil {
				t.Fatal(err)
			}
			if a := f.audit(made, nil); !a.OK {
				t.Errorf("%s, %s, schema %q: %v", w.name, layout, f.schema, a.Problems)
			}
			if len(o.Functions) > 0 && o.Functions[0] == dynPreOrders {
				f.exec("select dyn_pre_orders(4, 0), dyn_pre_orders(4, 0)")
			}
			id, err := Identify(t.Context(), f.conn, made)
			if err != nil {
				t.Fatal(err)
			}
			path := pgx.Identifier{f.schema}.Sanitize() + ", pg_temp"
			if err := id.Verify(t.Context(), f.conn.PgConn(), path); err != nil {
				t.Errorf("%s, schema %q: %v", w.name, f.schema, err)
			}
			if _, _, err := Drop(t.Context(), f.conn, f.schema); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Names are verified by what they are, not by how they are called.
func TestVerifyNames(t *testing.T) {
	t.Parallel()
	for workload, functions := range map[string][]string{"orders": nil, "claims": {"get_next_message", "complete_message", "process_queue"}, "jobs": {"jobs_complete"}} {
		f := newFixture(t)
		o := f.options(Plain)
		o.Workload, o.Functions = workload, functions
		f.create(o)
		if _, err := Seed(t.Context(), f.connect, o, nil); err != nil {
			t.Fatal(err)
		}
		made, err := Inspect(t.Context(), f.conn, f.schema, workload)
		if err != nil {
			t.Fatal(err)
		}
		id, err := Identify(t.Context(), f.conn, made)
		if err != nil {
			t.Fatal(err)
		}
		own := pgx.Identifier{f.schema}.Sanitize()
		other := pgx.Identifier{f.schema + "_b"}.Sanitize()
		f.session("create schema " + other)
		verify := func(path string) string {
			err := id.Verify(t.Context(), f.conn.PgConn(), path)
			var mismatch *MismatchError
			if err != nil && !errors.As(err, &mismatch) {
				t.Fatal(err)
			}
			if err != nil {
				return err.Error()
			}
			return ""
		}
		if got := verify(own); got != "" {
			t.Errorf("%s: %s", workload, got)
		}
		if got := verify(other); !strings.Contains(got, "means nothing, not ") {
			t.Errorf("%s in an empty schema: %q", workload, got)
		}
		if got := verify(other + ", " + own); !strings.Contains(got, "comes before") {
			t.Errorf("%s behind another schema: %q", workload, got)
		}
		for _, n := range id.names {
			var create, drop string
			switch n.lookup {
			case "to_regclass":
				create, drop = "create sequence "+other+"."+n.name, "drop sequence "+other+"."+n.name
			case "to_regtype":
				create, drop = "create domain "+other+"."+n.name+" as int", "drop domain "+other+"."+n.name
			default:
				create, drop = "create function "+other+"."+n.name+" returns int language sql as 'select 1'", "drop function "+other+"."+n.name
			}
			f.session(create)
			if got, want := verify(other+", "+own), n.name+" means "; !strings.Contains(got, want) {
				t.Errorf("%s is hidden: %q, want %q", n.name, got, want)
			}
			f.session(drop)
		}
		// A temporary table hides the queue unless it comes last.
		f.session("create temp table " + queueOf(workload) + " (id int)")
		if got := verify(own); !strings.Contains(got, "means pg_temp") {
			t.Errorf("%s hidden by a temporary table: %q", workload, got)
		}
		if got := verify(own + ", pg_temp"); got != "" {
			t.Errorf("%s with temporary tables last: %s", workload, got)
		}
		f.session("discard temp; drop schema " + other + " cascade")
		f.create(o)
		if got := verify(own); !strings.Contains(got, "means "+f.schema+".") {
			t.Errorf("%s made again: %q", workload, got)
		}
	}
}

// queueOf is the table that clients of a workload take from.
func queueOf(workload string) string {
	w, err := lookup(workload)
	if err != nil {
		panic(err)
	}
	return w.queue
}
