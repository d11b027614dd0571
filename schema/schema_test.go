package schema

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// source is the definition as the workload's source gives it.
var source = map[string]string{
	Plain: `
		create table t_order_q (id serial8 primary key, order_id uuid unique, cts timestamp not null);
		create table t_order_u (id serial8 primary key, order_id uuid unique, cts timestamp not null, uts timestamp not null, status int not null)`,
	Unlogged: `
		create unlogged table t_order_q (id serial8 primary key, order_id uuid unique, cts timestamp not null);
		create unlogged table t_order_u (id serial8 primary key, order_id uuid unique, cts timestamp not null, uts timestamp not null, status int not null)`,
	Partitioned: `
		create table t_order_q (id serial8 primary key, order_id uuid, cts timestamp not null) partition by hash (id);
		create table t_order_q_0 partition of t_order_q for values with (modulus 4, remainder 0);
		create table t_order_q_1 partition of t_order_q for values with (modulus 4, remainder 1);
		create table t_order_q_2 partition of t_order_q for values with (modulus 4, remainder 2);
		create table t_order_q_3 partition of t_order_q for values with (modulus 4, remainder 3);
		create table t_order_u (id serial8 primary key, order_id uuid unique, cts timestamp not null, uts timestamp not null, status int not null)`,
}

// definition lists what pg_dump would look at: relations, columns,
// constraints, indexes and sequences.
const definition = `
	select format('%s %s %s %s %s', relname, relkind, relpersistence, relispartition, pg_get_expr(relpartbound, oid))
	from pg_class where relnamespace = current_schema()::regnamespace
	union all
	select format('%s.%s %s %s %s %s', attrelid::regclass, attname, attnum, format_type(atttypid, atttypmod), attnotnull,
	  pg_get_expr(adbin, adrelid))
	from pg_attribute a left join pg_attrdef on adrelid = attrelid and adnum = attnum
	where attnum > 0 and attrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p'))
	union all
	select format('%s %s %s %s %s %s', conrelid::regclass, conname, contype, pg_get_constraintdef(oid), conislocal, coninhcount)
	from pg_constraint where connamespace = current_schema()::regnamespace
	union all
	select format('%s %s %s %s', pg_get_indexdef(indexrelid), indisprimary, indisvalid, inhparent::regclass)
	from pg_index left join pg_inherits on inhrelid = indexrelid
	where indexrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)
	union all
	select format('%s owned by %s.%s', objid::regclass, refobjid::regclass, refobjsubid) from pg_depend
	where deptype = 'a' and classid = 'pg_class'::regclass
	  and objid in (select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S')
	order by 1`

func TestDefinitionIsTheSources(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{Plain, Unlogged, Partitioned} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			want := newFixture(t)
			want.exec("create schema " + want.schema)
			want.exec(source[layout])
			got := newFixture(t)
			got.make(got.options(layout))
			w, g := want.texts(definition), got.texts(definition)
			for i := range w {
				w[i] = strings.ReplaceAll(w[i], want.schema, "S")
			}
			for i := range g {
				g[i] = strings.ReplaceAll(g[i], got.schema, "S")
			}
			slices.Sort(w)
			slices.Sort(g)
			if diff := cmp.Diff(w, g); diff != "" || len(w) == 0 {
				t.Error(diff)
			}
		})
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{Plain, Unlogged, Partitioned} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			o := f.options(layout)
			o.Orders = 2*blockSize + 7
			f.create(o)
			var told []int64
			report, err := Seed(t.Context(), f.connect, o, func(done, total int64) {
				if total != o.Orders {
					t.Errorf("progress of %d", total)
				}
				told = append(told, done)
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := []int64{blockSize, 2 * blockSize, o.Orders}; !slices.Equal(told, want) {
				t.Errorf("progress %v, want %v", told, want)
			}
			if report.Orders != o.Orders || report.Connections != 1 || report.Total < report.Load+report.Index+report.Vacuum {
				t.Errorf("%+v", report)
			}
			made := f.inspect()
			want, _ := o.Normalize()
			if !made.Seeded || !reflect.DeepEqual(made.Options, want) {
				t.Errorf("made %+v, want %+v", made, want)
			}
			if a := f.audit(made, &ClientCounts{}); !a.OK || a.Remaining != o.Orders {
				t.Errorf("%+v", a)
			}
			// The numbers are what SQL makes of (seed, n), and ids go on behind them.
			for query, want := range map[string]string{
				"select count(*)::text from t_order_q where order_id = md5('42:' || id)::uuid":                                                                  "2007",
				"select count(*)::text from t_order_q where abs(extract(epoch from clock_timestamp() - cts)) < 600":                                             "2007",
				"select nextval('t_order_q_id_seq')::text":                                                                                                      "2008",
				"select sum(reltuples)::text from pg_class where relkind = 'r' and relname like 't_order_q%' and relnamespace = current_schema()::regnamespace": "2007",
			} {
				if got := f.texts(query); got[0] != want {
					t.Errorf("%s: %s, want %s", query, got[0], want)
				}
			}
			if _, err := Seed(t.Context(), f.connect, o, nil); err == nil || !strings.Contains(err.Error(), "is seeded already") {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

func TestSeedByManyConnections(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.options(Unlogged)
	o.Orders = smallLoad + 1
	f.create(o)
	report, err := Seed(t.Context(), f.connect, o, nil)
	if err != nil || report.Connections != loaders {
		t.Fatalf("%+v, %v", report, err)
	}
	if a := f.audit(f.inspect(), nil); !a.OK || a.Remaining != o.Orders {
		t.Errorf("%+v", a)
	}
}

func TestSeedNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.options(Partitioned)
	o.Orders = 0
	made := f.make(o)
	if a := f.audit(made, nil); !a.OK || a.Remaining != 0 {
		t.Errorf("%+v", a)
	}
	if got := f.texts("select nextval('t_order_q_id_seq')::text"); got[0] != "1" {
		t.Errorf("the first id is %s", got[0])
	}
}

// A queue that producers are to fill is not planned as one that stays empty.
func TestPlansOfAnEmptyQueue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, layout := range []string{Plain, Partitioned} {
		o := f.options(layout)
		o.Orders = 0
		f.make(o)
		plan := strings.Join(f.texts("explain select id from t_order_q order by id limit 1 for update skip locked"), "\n")
		if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "Index Scan") {
			t.Errorf("%s:\n%s", layout, plan)
		}
	}
}

func TestSeedIsReproducible(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const all = "select id || ' ' || order_id from t_order_q order by id"
	f.make(f.options(Plain))
	first := f.texts(all)
	f.make(f.options(Plain))
	if diff := cmp.Diff(first, f.texts(all)); diff != "" {
		t.Error(diff)
	}
	o := f.options(Plain)
	o.Seed++
	f.make(o)
	if slices.Equal(first, f.texts(all)) {
		t.Error("another seed gives the same numbers")
	}
}

// TestInterruptedSeed cancels a seeding at its first block: what stays behind
// is not taken for a good queue, and is replaced.
func TestInterruptedSeed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.options(Plain)
	f.create(o)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Seed(ctx, f.connect, o, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	made := f.inspect()
	if made == nil || made.Seeded {
		t.Fatalf("made %+v", made)
	}
	if _, err := AuditTables(t.Context(), f.conn, made, nil); err == nil || !strings.Contains(err.Error(), "not finished") {
		t.Errorf("audit: %v", err)
	}
	if err := Preflight(t.Context(), f.conn, o); err != nil {
		t.Errorf("preflight: %v", err)
	}
	if made := f.make(o); !made.Seeded {
		t.Error("not replaced")
	}
}

func TestSeedRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.options(Plain)
	seed := func(want string) {
		t.Helper()
		if _, err := Seed(t.Context(), f.connect, o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	seed("there is no queue")
	f.create(o)
	o.Orders++
	seed("made with other options")
	o.Orders--
	down := errors.New("connection refused")
	_, err := Seed(t.Context(), func(context.Context) (*pgx.Conn, error) { return nil, down }, o, nil)
	if !errors.Is(err, down) {
		t.Errorf("error %v", err)
	}
}
