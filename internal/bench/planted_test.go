package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"qbench/internal/pgserver/pgtest"
	"qbench/schema"
)

// planted are functions and operators that fit qbench's own statements better
// than PostgreSQL's do, or have the same arguments. Each ends what calls it.
const planted = `
	create function %[1]s.bite(text, int8) returns text language plpgsql as $$ begin raise 'planted ||(text,int8) was called'; end $$;
	create operator %[1]s.|| (leftarg = text, rightarg = int8, function = %[1]s.bite);
	create function %[1]s.bite(text, int4) returns text language plpgsql as $$ begin raise 'planted ||(text,int4) was called'; end $$;
	create operator %[1]s.|| (leftarg = text, rightarg = int4, function = %[1]s.bite);
	create function %[1]s.bite(name, text) returns bool language plpgsql as $$ begin raise 'planted =(name,text) was called'; end $$;
	create operator %[1]s.= (leftarg = name, rightarg = text, function = %[1]s.bite);
	create function %[1]s.bite(timestamp, timestamptz) returns bool language plpgsql as $$ begin raise 'planted >= was called'; end $$;
	create operator %[1]s.>= (leftarg = timestamp, rightarg = timestamptz, function = %[1]s.bite);
	create function %[1]s.starts_with(text, name) returns bool language plpgsql as $$ begin raise 'planted starts_with was called'; end $$;
	create function %[1]s.obj_description(oid, text) returns text language plpgsql as $$ begin raise 'planted obj_description was called'; end $$;
	create function %[1]s.pg_get_serial_sequence(name, text) returns text language plpgsql as $$ begin raise 'planted pg_get_serial_sequence was called'; end $$;
	create function %[1]s.generate_series(int4, int8) returns setof int8 language plpgsql as $$ begin raise 'planted generate_series was called'; end $$;
	create function %[1]s.repeat(text, int8) returns text language plpgsql as $$ begin raise 'planted repeat was called'; end $$;
	create function %[1]s.substring(name, text) returns text language plpgsql as $$ begin raise 'planted substring was called'; end $$;`

// What others plant in the queue's schema is not called by qbench's own
// statements, and the report names those who could.
func TestPlantedObjectsAreNotCalled(t *testing.T) {
	t.Parallel()
	dsn, name := pgtest.Schema(t)
	other := name + "_other"
	plain := newTarget(t, dsn, "")
	withConn(t, plain, func(conn *pgx.Conn) {
		_, err := conn.Exec(t.Context(), fmt.Sprintf("create role %[2]s; create schema %[1]s; grant usage, create on schema %[1]s to %[2]s; set role %[2]s; "+planted, name, other))
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Cleanup(func() {
		ctx := context.Background() // the test's has ended
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer closeConn(ctx, conn)
		if _, err := conn.Exec(ctx, "drop owned by "+other+"; drop role "+other); err != nil {
			t.Error(err)
		}
	})
	tg := newTarget(t, dsn, name)
	for _, strategy := range []string{"skip-locked", "claim", "jobs-grouped", "partitioned-skip-locked"} {
		spec := small(mix(t, strategy))
		spec.Queue.Orders, spec.Queue.PayloadBytes = 300, 10
		spec.Load.Duration = 200 * time.Millisecond
		spec.Feed = &Feed{Clients: 1, Batch: 1, Rate: 1, Poll: time.Millisecond}
		if err := tg.Check(t.Context(), []Spec{resolved(t, spec)}); err != nil {
			t.Fatalf("%s: %v", strategy, err)
		}
		res := execute(t, tg, spec, Hooks{})
		if res.Audit == nil || !res.Audit.OK {
			t.Errorf("%s: audit %+v", strategy, res.Audit)
		}
		if text := strings.Join(res.Warnings, " "); !strings.Contains(text, other+" may create objects in schema") {
			t.Errorf("%s: warnings %q", strategy, text)
		}
		withConn(t, plain, func(conn *pgx.Conn) {
			made, err := schema.Inspect(t.Context(), conn, name, spec.Mix.Workload())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := schema.AuditTables(t.Context(), conn, made, nil); err != nil {
				t.Errorf("%s: %v", strategy, err)
			}
			if _, _, err := schema.Drop(t.Context(), conn, name); err != nil {
				t.Errorf("%s: %v", strategy, err)
			}
		})
	}
}
