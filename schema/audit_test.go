package schema

import (
	"testing"

	"qbench/internal/result"

	"github.com/google/go-cmp/cmp"
)

// order1 is the first order number of the seed 42, as psql has it: select
// md5('42:1')::uuid. In the table below 56602d82-… is md5('42:199').
const (
	order1    = "590dd1ac-9cf7-cbad-a02b-2915da269f69"
	foreigner = "00000000-0000-0000-0000-000000000001"
)

func TestAuditCatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sql  string // done behind the queue's back after 50 of 200 orders were moved
		want result.Audit
	}{
		{"nothing wrong", "select", result.Audit{OK: true, Remaining: 150, Processed: 50}},
		{"a recorded order deleted", "delete from t_order_u where order_id = '" + order1 + "'",
			result.Audit{Remaining: 150, Processed: 49, Lost: 1, Problems: []string{"1 order lost: in neither table (for example " + order1 + ")"}}},
		{"queued orders deleted", "delete from t_order_q where id > 198",
			result.Audit{Remaining: 148, Processed: 50, Lost: 2, Problems: []string{"2 orders lost: in neither table (for example 56602d82-5bd7-e3c0-cdfd-304b72e5ec4d)"}}},
		{"an order recorded twice",
			"alter table t_order_u drop constraint t_order_u_order_id_key; insert into t_order_u (order_id, cts, uts, status) select order_id, cts, uts, status from t_order_u where order_id = '" + order1 + "'",
			result.Audit{Remaining: 150, Processed: 51, Duplicated: 1, Problems: []string{"1 order duplicated: more than once in one table (for example " + order1 + ")"}}},
		{"an order in both tables", "insert into t_order_q (order_id, cts) select order_id, cts from t_order_u where order_id = '" + order1 + "'",
			result.Audit{Remaining: 151, Processed: 50, Both: 1, Problems: []string{"1 order in both tables: recorded as done, but still in the queue (for example " + order1 + ")"}}},
		{"a foreign order", "insert into t_order_q (order_id, cts) values ('" + foreigner + "', now())",
			result.Audit{Remaining: 151, Processed: 50, Foreign: 1, Problems: []string{"1 order foreign: in a table, but not of the set (for example " + foreigner + ")"}}},
		{"orders without a number", "insert into t_order_u (order_id, cts, uts, status) values (null, now(), now(), 1), (null, now(), now(), 1)",
			result.Audit{Remaining: 150, Processed: 52, Foreign: 2, Problems: []string{"2 orders foreign: in a table, but not of the set (for example null)"}}},
	} {
		for _, layout := range []string{Unlogged, Partitioned} {
			t.Run(tt.name+"/"+layout, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				made := f.make(f.options(layout))
				f.exec(move)
				f.exec(tt.sql)
				want := tt.want
				want.Seeded = 200
				if diff := cmp.Diff(&want, f.audit(made, nil)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestJudgeClients holds clients' counts against tables in which 50 of 200
// orders are done and 5 of the producers' numbers 201 … 210 are queued.
func TestJudgeClients(t *testing.T) {
	t.Parallel()
	cases := []auditCase{
		{Seeded: 1, Queued: 1, Orders: 150},
		{Seeded: 1, Done: 1, Orders: 50},
		{Enqueued: 1, Queued: 1, Orders: 5},
		{Enqueued: 1, Orders: 5},
	}
	for _, tt := range []struct {
		name    string
		clients ClientCounts
		want    []string
	}{
		{"exact", ClientCounts{Acknowledged: 50, Enqueued: 5}, nil},
		{"some done before", ClientCounts{Before: 20, Acknowledged: 30, Enqueued: 5}, nil},
		{"all in doubt were done", ClientCounts{Acknowledged: 48, InDoubt: 2, Enqueued: 3, EnqueuedInDoubt: 2}, nil},
		{"none in doubt was done", ClientCounts{Acknowledged: 50, InDoubt: 2, Enqueued: 5, EnqueuedInDoubt: 2}, nil},
		{"too many acknowledged", ClientCounts{Acknowledged: 51, InDoubt: 9, Enqueued: 5},
			[]string{"51 orders acknowledged to the clients, but 50 recorded as done"}},
		{"too few acknowledged", ClientCounts{Acknowledged: 47, InDoubt: 2, Enqueued: 5},
			[]string{"50 orders recorded as done, but 47 acknowledged to the clients and 2 in doubt"}},
		{"enqueued lost", ClientCounts{Acknowledged: 50, Enqueued: 7, EnqueuedInDoubt: 1},
			[]string{"2 orders lost after they were enqueued: 7 acknowledged to the producers, but 5 in the tables"}},
		{"enqueued without word", ClientCounts{Acknowledged: 50, Enqueued: 3, EnqueuedInDoubt: 1},
			[]string{"5 orders of producers in the tables, but 3 acknowledged to them and 1 in doubt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := judge(200, cases, &tt.clients)
			if diff := cmp.Diff(tt.want, a.Problems); diff != "" {
				t.Error(diff)
			}
			if a.OK != (tt.want == nil) {
				t.Errorf("ok is %v", a.OK)
			}
			if a.Acknowledged != tt.clients.Acknowledged || a.InDoubt != tt.clients.InDoubt || a.Enqueued != tt.clients.Enqueued {
				t.Errorf("the clients' counts are not in %+v", a)
			}
		})
	}
}

// TestAuditKnowsProducersNumbers: they come from the sequence, with holes where
// transactions were rolled back, and orders that jump ahead of it are foreign.
func TestAuditKnowsProducersNumbers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.make(f.options(Plain))
	f.exec(`insert into t_order_q (id, order_id, cts)
		select n, md5('42:' || n)::uuid, now() from (select nextval('t_order_q_id_seq') as n from generate_series(1, 10)) s where n <> 205`)
	f.exec(move)
	clients := &ClientCounts{Acknowledged: 50, Enqueued: 9}
	a := f.audit(made, clients)
	if !a.OK || a.Remaining != 159 || a.Enqueued != 9 {
		t.Errorf("%+v", a)
	}
	if a = f.audit(made, &ClientCounts{Acknowledged: 50, EnqueuedBefore: 8, Enqueued: 1}); !a.OK {
		t.Errorf("most of them there before: %+v", a)
	}
	f.exec("insert into t_order_q (id, order_id, cts) select 211, md5('42:211')::uuid, now()")
	if a = f.audit(made, clients); a.OK || a.Foreign != 1 {
		t.Errorf("an order beyond the sequence: %+v", a)
	}
	f.exec("delete from t_order_q where id = 210")
	if a = f.audit(made, clients); a.OK || a.Lost != 1 {
		t.Errorf("a producer's order lost: %+v", a)
	}
}

func TestPartitionUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.make(f.options(Partitioned))
	f.exec("delete from t_order_q_1; delete from t_order_q_2 where id = (select min(id) from t_order_q_2)")
	f.exec("insert into t_order_q (order_id, cts) select gen_random_uuid(), now() from generate_series(1, 100)")
	use, err := PartitionUse(t.Context(), f.conn, made)
	if err != nil {
		t.Fatal(err)
	}
	var left, low, high int64
	err = f.conn.QueryRow(t.Context(), `
		with c as (select (select count(*) from `+f.schema+`.t_order_q_0) a, (select count(*) from `+f.schema+`.t_order_q_1) b,
		                  (select count(*) from `+f.schema+`.t_order_q_2) c, (select count(*) from `+f.schema+`.t_order_q_3) d)
		select a + d, least(a, b, c, d), greatest(a, b, c, d) from c`).Scan(&left, &low, &high)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&result.PartitionUse{Partitions: 4, Untouched: 2, Left: left, Min: low, Max: high}, use); diff != "" {
		t.Error(diff)
	}
	depth, err := Depth(t.Context(), f.conn, made)
	if err != nil {
		t.Fatal(err)
	}
	if a := f.audit(made, nil); a.Remaining != depth {
		t.Errorf("depth %d, audit %d", depth, a.Remaining)
	}
	if use, err := PartitionUse(t.Context(), f.conn, &Made{Options: f.options(Plain)}); use != nil || err != nil {
		t.Errorf("of a plain queue: %v, %v", use, err)
	}
}

func TestProcessed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.make(f.options(Plain))
	f.exec(move)
	if n, err := Processed(t.Context(), f.conn, made); n != 50 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
