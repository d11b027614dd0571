package schema

import (
	"math"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"

	"github.com/google/go-cmp/cmp"
)

// claimQueue are the options of a small claim queue.
func (f *fixture) claimQueue(index string) Options {
	return Options{Workload: "claims", Schema: f.schema, Orders: 200, Seed: 42, Index: index}
}

func (f *fixture) makeClaims(o Options) *Made {
	f.Helper()
	f.create(o)
	if _, err := Seed(f.Context(), f.connect, o, nil); err != nil {
		f.Fatal(err)
	}
	made, err := Inspect(f.Context(), f.conn, f.schema, "claims")
	if err != nil {
		f.Fatal(err)
	}
	return made
}

func TestClaimsNormalize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   Options
		want Options
		err  string
	}{
		{Options{Workload: "claims", Timed: true}, Options{Workload: "claims", Layout: Plain, Index: IndexFull}, ""},
		{Options{Workload: "claims", Index: "hash"}, Options{}, `the workload "claims" has no index variant "hash": use one of full, partial, none`},
		{Options{Workload: "orders", Index: IndexFull}, Options{}, `the workload "orders" has no variants of its indexes: leave out --index`},
		{Options{Workload: "claims", Orders: 5, Claimed: 6}, Options{}, "6 of 5 orders cannot be claimed: use a number from 0 to 5"},
		{Options{Workload: "orders", Orders: 5, Claimed: 1}, Options{}, `orders of the workload "orders" cannot be claimed: leave out --claimed`},
		{Options{Workload: "claims", Layout: Partitioned}, Options{}, `the workload "claims" has no layout "partitioned": use one of plain, unlogged`},
		{Options{Workload: "claims", Orders: 1 << 31}, Options{}, "2147483648 orders cannot be seeded: the claim queue numbers its messages with an int, so use at most 1073741823"},
		{Options{Workload: "claims", PayloadBytes: -1}, Options{}, "-1 bytes of payload cannot be made: use a number from 0 to 1048576"},
	} {
		got, err := tt.in.Normalize()
		switch {
		case tt.err != "" && (err == nil || err.Error() != tt.err):
			t.Errorf("error %v, want %s", err, tt.err)
		case tt.err == "" && (err != nil || cmp.Diff(tt.want, got) != ""):
			t.Errorf("%v %s", err, cmp.Diff(tt.want, got))
		}
	}
}

// The table is the source's, with the two times behind it.
func TestClaimsDefinition(t *testing.T) {
	t.Parallel()
	for index, statement := range map[string]string{
		IndexNone: "select", IndexFull: "create index queue_process_id_idx on queue (process_id)",
		IndexPartial: "create index queue_unclaimed_idx on queue (id) where process_id is null",
	} {
		t.Run(index, func(t *testing.T) {
			t.Parallel()
			want := newFixture(t)
			want.exec("create schema " + want.schema)
			want.exec(`create table queue (id serial primary key, payload jsonb not null, process_id int default null);
				alter table queue add cts timestamp not null, add taken timestamp;
				create table queue_done (id int not null, order_id text, process_id int not null, cts timestamp not null, taken timestamp not null, uts timestamp not null);` + statement)
			got := newFixture(t)
			got.makeClaims(got.claimQueue(index))
			w, g := want.texts(definition), got.texts(definition)
			for i := range w {
				w[i] = strings.ReplaceAll(w[i], want.schema, "S")
			}
			for i := range g {
				g[i] = strings.ReplaceAll(g[i], got.schema, "S")
			}
			if diff := cmp.Diff(w, g); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClaimsSeed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.claimQueue(IndexPartial)
	o.Claimed, o.PayloadBytes = 30, 50
	made := f.makeClaims(o)
	if a := f.audit(made, nil); !a.OK || a.Remaining != 200 || a.Orphans != 30 {
		t.Errorf("%+v", a)
	}
	for query, want := range map[string]string{
		"select count(*)::text from queue where payload = jsonb_build_object('order', md5('42:' || id), 'pad', repeat('x', 50))": "200",
		"select min(id) || '-' || max(id) from queue where process_id = -1 and taken = cts":                                      "1-30",
		"select count(*)::text from queue where process_id is null and taken is null":                                            "170",
		"select nextval('queue_id_seq')::text":                                                                                   "201",
	} {
		if got := f.texts(query); got[0] != want {
			t.Errorf("%s: %s, want %s", query, got[0], want)
		}
	}
	if n, err := Free(t.Context(), f.conn, made); n != 170 || err != nil {
		t.Errorf("%d free, %v", n, err)
	}
	if n, err := Depth(t.Context(), f.conn, made); n != 200 || err != nil {
		t.Errorf("depth %d, %v", n, err)
	}
	dropped, _, err := Drop(t.Context(), f.conn, f.schema)
	if err != nil || len(dropped) != 3 {
		t.Errorf("dropped %v, %v", dropped, err)
	}
}

// complete does by hand what worker 7 does with the first n messages.
const complete = `
	with done as (delete from queue where id in (select id from queue order by id limit 50) returning *)
	insert into queue_done (id, order_id, process_id, cts, taken, uts)
	select id, payload ->> 'order', 7, cts, cts + interval '100 ms' * id, cts + interval '150 ms' * id from done`

func TestClaimsAuditCatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sql  string // done behind the queue's back after 50 of 200 messages were completed
		want result.Audit
	}{
		{"nothing wrong", "select", result.Audit{OK: true, Remaining: 150, Processed: 50}},
		{"claimed, not completed", "update queue set process_id = 3, taken = now() where id < 53", result.Audit{OK: true, Remaining: 150, Processed: 50, Orphans: 2}},
		{"completed without a trace", "delete from queue where id = 51", result.Audit{Remaining: 149, Processed: 50, Lost: 1,
			Problems: []string{"1 order lost: in neither table (for example 589d8e4786dd4646679adf26f2eea91b)"}}},
		{"completed twice", "insert into queue_done select * from queue_done where id = 1", result.Audit{Remaining: 150, Processed: 51, Duplicated: 1,
			Problems: []string{"1 order duplicated: more than once in one table (for example 590dd1ac9cf7cbada02b2915da269f69)"}}},
		{"completed, not deleted", "insert into queue (id, payload, cts) select id, jsonb_build_object('order', order_id), cts from queue_done where id = 1",
			result.Audit{Remaining: 151, Processed: 50, Both: 1,
				Problems: []string{"1 order in both tables: recorded as done, but still in the queue (for example 590dd1ac9cf7cbada02b2915da269f69)"}}},
		{"another's message", `insert into queue (payload, cts) values ('{"order": "mine"}', now())`, result.Audit{Remaining: 151, Processed: 50, Foreign: 1,
			Problems: []string{"1 order foreign: in a table, but not of the set (for example mine)"}}},
		{"a payload that is no object", `insert into queue (payload, cts) values ('[1]', now())`, result.Audit{Remaining: 151, Processed: 50, Foreign: 1,
			Problems: []string{"1 order foreign: in a table, but not of the set (for example null)"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			made := f.makeClaims(f.claimQueue(IndexFull))
			f.exec(complete)
			f.exec(tt.sql)
			want := tt.want
			want.Seeded = 200
			if diff := cmp.Diff(&want, f.audit(made, nil)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The functions do what the scripts' own statements do, and a message that
// another worker has is not completed.
func TestClaimFunctions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	o := f.claimQueue(IndexNone)
	o.Functions = []string{"get_next_message", "complete_message", "process_queue"}
	made := f.makeClaims(o)
	for _, tt := range []struct{ query, want string }{
		{"select id || ' ' || (payload ->> 'order') from get_next_message(3)", "1 590dd1ac9cf7cbada02b2915da269f69"},
		{"select id::text from get_next_message(4)", "2"},
		{"select complete_message(1, 4)::text", "0"},
		{"select complete_message(1, 3)::text", "1"},
		{"select complete_message(1, 3)::text", "0"},
	} {
		if got := f.texts(tt.query); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %v, want %s", tt.query, got, tt.want)
		}
	}
	f.session("set search_path = " + f.schema)
	var handled int
	for _, want := range []int{100, 98, 0} {
		if err := f.conn.QueryRow(t.Context(), "call process_queue(5, 0, 0, 100, 0)").Scan(&handled); err != nil || handled != want {
			t.Errorf("handled %d, %v, want %d", handled, err, want)
		}
	}
	if a := f.audit(made, nil); !a.OK || a.Processed != 199 || a.Orphans != 1 {
		t.Errorf("%+v", a)
	}
}

func TestMeasureTimes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.makeClaims(f.claimQueue(IndexFull))
	begin, err := Clock(t.Context(), f.conn)
	if err != nil {
		t.Fatal(err)
	}
	// Seeded orders are in the queue, but in no time.
	before, err := MeasureTimes(t.Context(), f.conn, made, begin, begin)
	if err != nil || before.Orders != 0 || before.Queue != nil || before.EndToEnd != nil || before.Waiting != 200 || before.Depth != 200 {
		t.Errorf("%+v, %v", before, err)
	}
	f.exec(complete)
	// Of 100 further messages, all that came since, 60 are done after 100, 200 …
	// 6000 ms and half as much again; 10 are claimed after 50 ms; 30 wait for 3 s.
	f.exec(`insert into queue_done (id, order_id, process_id, cts, taken, uts)
		select 1000 + n, n, 1, clock, clock + n * interval '100 ms', clock + n * interval '150 ms'
		from (select $1::timestamp + interval '1 hour' as clock) c, generate_series(1, 60) n`, begin.UTC())
	f.exec(`insert into queue (payload, process_id, cts, taken)
		select '{}', case when n <= 10 then 1 end, clock, case when n <= 10 then clock + interval '50 ms' end
		from (select $1::timestamp + interval '1 hour' as clock) c, generate_series(1, 40) n`, begin.UTC())
	since := begin.Add(time.Hour)
	got, err := MeasureTimes(t.Context(), f.conn, made, since, since.Add(3*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if got.Orders != 100 || got.Untaken != 30 || got.Undone != 40 || got.Waiting != 180 || got.Depth != 190 || got.OldestCame == nil || got.OldestCame.After(begin) {
		t.Errorf("%+v", got)
	}
	inf := math.Inf(1)
	// Taken: 10 × 50, 100 … 6000 by 100. With 30 × 3000 among them the 50th is
	// 3000, and without it 4000; the 90th is 5000, and 70 have an end.
	near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) < 0.1 })
	want := result.Latency{Mean: (500 + 183000 + 90000) / 100., StdDev: got.Queue.StdDev, Min: 50, P50: 3000, P90: 5000, P95: 5500, P99: 5900, P999: 6000, Max: 6000}
	most := result.Bounds{Mean: inf, StdDev: inf, Min: 50, P50: 4000, P90: inf, P95: inf, P99: inf, P999: inf, Max: inf}
	// Done: 150 … 9000 by 150; the 40 others are 3000 old.
	total := result.Latency{Mean: (1.5*183000 + 120000) / 100., StdDev: got.EndToEnd.StdDev, Min: 150, P50: 3000, P90: 7500, P95: 8250, P99: 8850, P999: 9000, Max: 9000}
	totalMost := result.Bounds{Mean: inf, StdDev: inf, Min: 150, P50: 7500, P90: inf, P95: inf, P99: inf, P999: inf, Max: inf}
	for _, diff := range []string{
		cmp.Diff(&want, got.Queue, near), cmp.Diff(&most, got.QueueMost, near),
		cmp.Diff(&total, got.EndToEnd, near), cmp.Diff(&totalMost, got.EndToEndMost, near),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// The order queue says when an order was done only where it was asked to.
func TestTimesOfOrders(t *testing.T) {
	t.Parallel()
	for _, timed := range []bool{false, true} {
		f := newFixture(t)
		o := f.options(Partitioned)
		o.Timed, o.PayloadBytes = timed, 300
		made := f.make(o)
		if n := f.texts("select sum(length(payload))::text from t_order_q"); n[0] != "60000" {
			t.Errorf("payloads of %s bytes", n[0])
		}
		f.exec(move)
		// An order that came after the transaction that took it had begun.
		f.exec("update t_order_u set uts = cts - interval '1 ms' where id = 1")
		begin, err := Clock(t.Context(), f.conn)
		if err != nil {
			t.Fatal(err)
		}
		times, err := MeasureTimes(t.Context(), f.conn, made, begin.Add(-time.Hour), begin)
		if err != nil || times.Orders != 200 || times.Untaken != 150 || times.Queue == nil || times.Queue.Min != 0 || times.Waiting != 150 || times.Depth != 150 {
			t.Errorf("timed %v: %+v, %v", timed, times, err)
		}
		if most := times.QueueMost; most == nil || !math.IsInf(most.P50, 1) || math.IsInf(most.Min, 1) {
			t.Errorf("timed %v: at most %+v", timed, most)
		}
		if (times.EndToEnd != nil) != timed || (times.EndToEndMost != nil) != timed {
			t.Errorf("timed %v: end to end %+v, at most %+v", timed, times.EndToEnd, times.EndToEndMost)
		}
	}
}
