package schema

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// TestOthersAreLeftAlone: whatever bears one of our names without our mark is
// refused by name and stays as it is.
func TestOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, layout, sql, want string }{
		{"table", Plain, "create table t_order_q (a int)", "table t_order_q"},
		{"table of the result", Plain, "create table t_order_u (a int)", "table t_order_u"},
		{"the source's table", Plain, source[Plain], "table t_order_q"},
		{"comment like the mark", Plain, "create table t_order_q (a int); comment on table t_order_q is 'not made by qbench; qbench clean drops it: '", "table t_order_q"},
		{"view", Plain, "create view t_order_q as select 1", "view t_order_q"},
		{"sequence", Plain, "create sequence t_order_q_id_seq", "sequence t_order_q_id_seq"},
		{"index", Plain, "create table other (a int); create index t_order_u_pkey on other (a)", "index t_order_u_pkey"},
		{"partition", Partitioned, "create table t_order_q_3 (a int)", "table t_order_q_3"},
		{"function", Partitioned, "create function dyn_pre_orders(int, int) returns int language sql as 'select 1'", "function dyn_pre_orders"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.exec("create schema " + f.schema)
			f.exec(tt.sql)
			before := f.texts(definition)
			o := f.options(tt.layout)
			if tt.layout == Partitioned {
				o.Functions = []string{dynPreOrders}
			}
			want := tt.want + ` in schema "` + f.schema + `" was not made by qbench and is left alone: name another schema with --schema-name`
			for step, do := range map[string]func(context.Context, *pgx.Conn, Options) error{"preflight": Preflight, "create": Create} {
				if err := do(t.Context(), f.conn, o); err == nil || err.Error() != want {
					t.Errorf("%s: %v\nwant %s", step, err, want)
				}
			}
			if dropped, _, err := Drop(t.Context(), f.conn, f.schema); err != nil || len(dropped) > 0 {
				t.Errorf("dropped %v, %v", dropped, err)
			}
			if made := f.inspect(); made != nil {
				t.Errorf("taken for ours: %+v", made)
			}
			if diff := cmp.Diff(before, f.texts(definition)); diff != "" {
				t.Errorf("touched: %s", diff)
			}
		})
	}
}

func TestDropOnlyWhatIsMarked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exec("create schema " + f.schema)
	f.exec("create table t_order_q_4 (a int); create function mine() returns int language sql as 'select 1'")
	o := f.options(Partitioned)
	o.Functions = []string{dynPreOrders}
	f.make(o)
	dropped, _, err := Drop(t.Context(), f.conn, f.schema)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"table " + f.schema + ".t_order_q", "table " + f.schema + ".t_order_u",
		"function " + f.schema + ".dyn_pre_orders(partitions integer, client_id integer)",
	}
	if diff := cmp.Diff(want, dropped); diff != "" {
		t.Error(diff)
	}
	left := f.texts("select relname::text from pg_class where relnamespace = current_schema()::regnamespace union all select proname from pg_proc where pronamespace = current_schema()::regnamespace order by 1")
	if want := []string{"mine", "t_order_q_4"}; !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
}

func TestSchemaGoesOnlyIfMadeAndEmpty(t *testing.T) {
	t.Parallel()
	exists := func(f *fixture) bool {
		return len(f.texts("select nspname::text from pg_namespace where nspname = $1", f.schema)) == 1
	}
	for _, tt := range []struct {
		name, before, after string
		gone                bool
	}{
		{"made by us", "", "", true},
		{"made by us, used by others", "", "create table mine (a int)", false},
		{"the user's", "create schema %s", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if tt.before != "" {
				f.exec(strings.ReplaceAll(tt.before, "%s", f.schema))
			}
			f.make(f.options(Plain))
			if tt.after != "" {
				f.exec(tt.after)
			}
			dropped, _, err := Drop(t.Context(), f.conn, f.schema)
			if err != nil {
				t.Fatal(err)
			}
			if exists(f) == tt.gone || slices.Contains(dropped, "schema \""+f.schema+"\"") != tt.gone {
				t.Errorf("exists: %v; dropped %v", exists(f), dropped)
			}
			if made := f.inspect(); made != nil {
				t.Errorf("still there: %+v", made)
			}
			if again, _, err := Drop(t.Context(), f.conn, f.schema); err != nil || len(again) > 0 {
				t.Errorf("a second time: %v, %v", again, err)
			}
		})
	}
}

// TestCreateIsAllOrNothing lets Create fail while it drops the old tables, and
// after that: they are still there.
func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.make(f.options(Plain))
	f.exec("create view mine as select * from t_order_u")
	err := Create(t.Context(), f.conn, f.options(Partitioned))
	if err == nil || !strings.Contains(err.Error(), "other objects depend on qbench's tables") || !strings.Contains(err.Error(), "view") {
		t.Fatalf("error %v", err)
	}
	if a := f.audit(made, nil); !a.OK || a.Remaining != 200 {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff(made, f.inspect()); diff != "" {
		t.Error(diff)
	}

	// A type that bears a partition's name is noticed only halfway through.
	f.exec("drop view mine; create type t_order_q_2 as enum ()")
	if err := Create(t.Context(), f.conn, f.options(Partitioned)); err == nil || !strings.Contains(err.Error(), "t_order_q_2") {
		t.Fatalf("error %v", err)
	}
	if a := f.audit(made, nil); !a.OK || a.Remaining != 200 {
		t.Errorf("%+v", a)
	}
}

func TestCreateReplacesAnyLayout(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	withFunction := f.options(Partitioned)
	withFunction.Functions = []string{dynPreOrders}
	for _, o := range []Options{withFunction, f.options(Plain), withFunction, withFunction, f.options(Unlogged)} {
		if err := Preflight(t.Context(), f.conn, o); err != nil {
			t.Fatal(err)
		}
		if made := f.make(o); made.Layout != o.Layout || len(made.Functions) != len(o.Functions) {
			t.Errorf("made %+v, want %+v", made, o)
		}
		functions := f.texts("select proname::text from pg_proc where pronamespace = current_schema()::regnamespace")
		if !slices.Equal(functions, o.Functions) {
			t.Errorf("%s: functions %v, want %v", o.Layout, functions, o.Functions)
		}
	}
}

func TestFunctionReportsWhatItMoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.options(Partitioned)
	o.Orders, o.Functions = 8, []string{dynPreOrders}
	made := f.make(o)
	f.exec("delete from t_order_q_2")
	in := made.PartitionOrders[1]
	if in == 0 {
		t.Fatal("partition 1 has no order to move")
	}
	if got := f.texts("select dyn_pre_orders(4, 5)::text"); got[0] != "1" {
		t.Errorf("moved %s", got[0])
	}
	if got := f.texts("select dyn_pre_orders(4, 6)::text"); got[0] != "0" {
		t.Errorf("moved %s of an empty partition", got[0])
	}
	counts := f.texts("select (select count(*) from t_order_q_1) || ' ' || (select count(*) from t_order_u)")
	if want := strconv.FormatInt(in-1, 10) + " 1"; counts[0] != want {
		t.Errorf("left and done: %s, want %s", counts[0], want)
	}
}

func TestPreflightRights(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	role := "r_" + f.schema
	f.session("create schema " + f.schema + "; create role " + role + "; grant usage on schema " + f.schema + " to " + role)
	t.Cleanup(func() {
		_, err := f.conn.Exec(context.Background(), "reset all; reset role; drop owned by "+role+"; drop role "+role)
		if err != nil {
			t.Error(err)
		}
	})
	check := func(o Options, want string) {
		t.Helper()
		if err := Preflight(t.Context(), f.conn, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	o := f.options(Plain)
	f.session("set role " + role)
	check(o, `role "`+role+`" may not create tables in schema "`+f.schema+`"`)
	o.Schema += "_x"
	check(o, `there is no schema "`+o.Schema+`", and role "`+role+`" may not create it`)
	o.Schema = ""
	f.session("set search_path = no_such_schema")
	check(o, "search_path names no schema that exists")
	f.session("reset search_path; set default_transaction_read_only = on")
	check(f.options(Plain), "the connection is read-only")
	f.session("reset role; reset default_transaction_read_only")

	f.make(f.options(Plain))
	f.session("grant create on schema " + f.schema + " to " + role + "; set role " + role)
	check(f.options(Plain), "was made by qbench under another role")
}
