package bench

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"qbench/schema"
)

func TestFootprint(t *testing.T) {
	t.Parallel()
	for _, workload := range schema.Workloads() {
		for _, layout := range []string{schema.Plain, schema.Partitioned} {
			o, err := schema.Options{Workload: workload, Layout: layout, Partitions: 4, Orders: 2000, Seed: 1}.Normalize()
			if err != nil {
				continue // not every workload has every layout
			}
			t.Run(workload+" "+layout, func(t *testing.T) {
				t.Parallel()
				tg := target(t)
				withConn(t, tg, func(conn *pgx.Conn) {
					if err := tg.Make(t.Context(), conn, o, Hooks{}); err != nil {
						t.Fatal(err)
					}
					f, err := tg.Footprint(t.Context(), conn, workload)
					if err != nil {
						t.Fatal(err)
					}
					// Each order holds at least its tuple header and number, and an index entry.
					if f.TableBytes < 2000*40 || f.IndexBytes < 2000*16 {
						t.Errorf("2000 orders take %d bytes of table and %d of index", f.TableBytes, f.IndexBytes)
					}
				})
			})
		}
	}
}

func TestRoomIsWhatCheckLetsPass(t *testing.T) {
	t.Parallel()
	tg := target(t)
	s := small(mix(t, "skip-locked"))
	s.Feed = &Feed{Clients: 3, Batch: 1, Poll: 1}
	s.Load.Transactions = 1
	s, err := s.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	// Other tests connect and disconnect beside this one, so that only what
	// holds whatever they do can be asserted.
	room, err := tg.Room(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	var limit int64
	withConn(t, tg, func(conn *pgx.Conn) {
		if err := conn.QueryRow(t.Context(), "select current_setting('max_connections')::int").Scan(&limit); err != nil {
			t.Fatal(err)
		}
	})
	if most := int(limit) - 3 - ownConnections; room < 1 || room > most {
		t.Errorf("room for %d clients, want 1 to %d", room, most)
	}
	s.Clients = int(limit)
	if err := tg.Check(t.Context(), []Spec{s}); err == nil {
		t.Error("as many clients as max_connections pass the check")
	}
}
