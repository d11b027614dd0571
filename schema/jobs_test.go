package schema

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"qbench/internal/result"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func (f *fixture) jobs(layout string) Options {
	o := f.options(layout)
	o.Workload, o.Functions = "jobs", []string{"jobs_complete"}
	o.Priorities, o.Entrypoints = 2, 3
	return o
}

// makeJobs creates and seeds a queue of jobs.
func (f *fixture) makeJobs(o Options) *Made {
	f.Helper()
	f.create(o)
	if _, err := Seed(f.Context(), f.connect, o, nil); err != nil {
		f.Fatal(err)
	}
	made, err := Inspect(f.Context(), f.conn, f.schema, "jobs")
	if err != nil {
		f.Fatal(err)
	}
	return made
}

// What is done by hand to jobs 1 … 60: 50 are completed, of these 20 through the
// log, from which 10 are aggregated; 5 stay picked.
const workOnJobs = `
	update jobs set status = 'picked', updated = now() where id <= 55;
	select jobs_complete(id, 'successful') from generate_series(1, 30) id;
	with done as (delete from jobs where id between 31 and 50 returning *)
	insert into jobs_log (job_id, created, priority, time_in_queue, status, entrypoint, aggregated)
	select id, created, priority, updated - created, 'successful', entrypoint, id <= 40 from done;
	insert into statistics (count, created, priority, time_in_queue, status, entrypoint)
	select count(*), date_trunc('second', created), priority, date_trunc('second', time_in_queue), status, entrypoint
	from jobs_log where aggregated group by 2, 3, 4, 5, 6
	on conflict on constraint statistics_key do update set count = statistics.count + excluded.count`

func TestJobsSeed(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{Plain, Unlogged} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			// timestamptz is seeded in UTC, wherever the session thinks it is.
			connect := f.connect
			f.connect = func(ctx context.Context) (*pgx.Conn, error) {
				conn, err := connect(ctx)
				if err == nil {
					_, err = conn.Exec(ctx, "set timezone = 'Asia/Kolkata'")
				}
				return conn, err
			}
			o := f.jobs(layout)
			o.PayloadBytes = 5
			made := f.makeJobs(o)
			if a := f.audit(made, &ClientCounts{}); !a.OK || a.Remaining != o.Orders {
				t.Errorf("%+v", a)
			}
			for query, want := range map[string]string{
				`select count(*)::text from jobs where payload = decode(md5('42:' || id), 'hex') || 'xxxxx'`: "200",
				`select count(*)::text from jobs
				 where priority = ('x' || left(md5('42:' || id), 8))::bit(32)::int8 % 2
				   and entrypoint = 'entrypoint_' || ('x' || substr(md5('42:' || id), 9, 8))::bit(32)::int8 % 3`: "200",
				`select count(distinct (priority, entrypoint))::text from jobs`:                                                                                "6",
				`select count(*)::text from jobs where status = 'queued' and updated = created and abs(extract(epoch from clock_timestamp() - created)) < 600`: "200",
				`select nextval('jobs_id_seq')::text`: "201",
			} {
				if got := f.texts(query); got[0] != want {
					t.Errorf("%s: %s, want %s", query, got[0], want)
				}
			}
		})
	}
}

func TestJobsAuditCatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, sql string
		want      result.Audit
	}{
		{"nothing wrong", "select", result.Audit{OK: true, Remaining: 150, Processed: 50, Orphans: 5}},
		{"queued jobs deleted", "delete from jobs where id > 198", result.Audit{Remaining: 148, Processed: 50, Orphans: 5, Lost: 2}},
		{"a picked job deleted", "delete from jobs where id = 51", result.Audit{Remaining: 149, Processed: 50, Orphans: 4, Lost: 1}},
		{"a count missed", "update statistics set count = count - 1 where id = 1", result.Audit{Remaining: 150, Processed: 49, Orphans: 5, Lost: 1}},
		{"a count twice", "update statistics set count = count + 2 where id = 1", result.Audit{Remaining: 150, Processed: 52, Orphans: 5, Duplicated: 2}},
		{"one lost, another counted twice", "delete from jobs where id = (select min(id) from jobs where priority = 0); update statistics set count = count + 1 where id = (select min(id) from statistics where priority = 1)",
			result.Audit{Remaining: 149, Processed: 51, Orphans: 4, Lost: 1, Duplicated: 1}},
		{"counted, but still queued",
			"truncate statistics, jobs_log; delete from jobs; select setval('jobs_id_seq', 200); insert into jobs select id, priority, now(), now(), 'queued', entrypoint, payload from kept; insert into statistics select 1, 1, now(), priority, '0', 'successful', entrypoint from jobs where id = 1",
			result.Audit{Remaining: 200, Processed: 1, Both: 1}},
		{"logged twice", "insert into jobs_log select id + 100, job_id, created, priority, time_in_queue, status, entrypoint, aggregated from jobs_log where job_id = 50",
			result.Audit{Remaining: 150, Processed: 51, Orphans: 5, Duplicated: 1}},
		{"aggregated twice", "insert into jobs_log select id + 100, job_id, created, priority, time_in_queue, status, entrypoint, aggregated from jobs_log where job_id = 31",
			result.Audit{Remaining: 150, Processed: 50, Orphans: 5, Lost: 1, Duplicated: 1}},
		{"aggregated in name only", "update jobs_log set aggregated = true where job_id = 50", result.Audit{Remaining: 150, Processed: 49, Orphans: 5, Lost: 1}},
		{"logged, but still queued", "insert into jobs_log (job_id, created, priority, time_in_queue, status, entrypoint) select id, created, priority, '0', 'successful', entrypoint from jobs where id = 100",
			result.Audit{Remaining: 150, Processed: 51, Orphans: 5, Both: 1}},
		{"a foreign job", "insert into jobs (priority, created, updated, status, entrypoint) values (1, now(), now(), 'queued', 'entrypoint_1')",
			result.Audit{Remaining: 151, Processed: 50, Orphans: 5, Foreign: 1}},
		{"a job beyond the sequence", "insert into jobs (id, priority, created, updated, status, entrypoint, payload) values (999, 1, now(), now(), 'queued', 'entrypoint_1', decode(md5('42:999'), 'hex'))",
			result.Audit{Remaining: 151, Processed: 50, Orphans: 5, Foreign: 1}},
		{"another payload", "update jobs set payload = 'mine' where id = 200", result.Audit{Remaining: 150, Processed: 50, Orphans: 5, Lost: 1, Foreign: 1}},
		{"a key of no job", "insert into statistics values (999, 4, now(), 7, '0', 'exception', 'mine')",
			result.Audit{Remaining: 150, Processed: 54, Orphans: 5, Foreign: 4}},
		{"a foreign job logged", "insert into jobs_log (job_id, created, priority, time_in_queue, status, entrypoint) values (999, now(), 1, '0', 'successful', 'entrypoint_1')",
			result.Audit{Remaining: 150, Processed: 51, Orphans: 5, Foreign: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			made := f.makeJobs(f.jobs(Plain))
			f.exec("create table kept as table jobs")
			f.exec(workOnJobs)
			f.exec(tt.sql)
			got := f.audit(made, nil)
			if len(got.Problems) == 0 != tt.want.OK {
				t.Errorf("problems %q", got.Problems)
			}
			got.Problems = nil
			want := tt.want
			want.Seeded = 200
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Error(diff)
			}
			if n, err := Processed(t.Context(), f.conn, made); err != nil || n != got.Processed && got.Foreign+got.Duplicated+got.Lost == 0 {
				t.Errorf("processed %d, %v", n, err)
			}
		})
	}
}

// TestJobsAuditKnowsProducers: numbers from the sequence are of the set, their
// holes are no loss, and the counts of completed ones are not the seeded jobs'.
func TestJobsAuditKnowsProducers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.makeJobs(f.jobs(Plain))
	f.exec(`
		with fresh as (
			select n, md5('42:' || n) as d from (select nextval('jobs_id_seq') as n from generate_series(1, 40)) s where n % 10 <> 5
		)
		insert into jobs (id, priority, created, updated, status, entrypoint, payload)
		select n, ('x' || substr(d, 1, 8))::bit(32)::int8 % 2, now(), now(), 'queued',
		       'entrypoint_' || ('x' || substr(d, 9, 8))::bit(32)::int8 % 3, decode(d, 'hex')
		from fresh;
		update jobs set status = 'picked' where id > 220;
		select jobs_complete(id, 'successful') from generate_series(221, 230) id`)
	a := f.audit(made, &ClientCounts{Acknowledged: 9, Enqueued: 36})
	if !a.OK || a.Remaining != 227 || a.Processed != 9 || a.Orphans != 9 {
		t.Errorf("%+v", a)
	}
	f.exec("delete from jobs where id = 240")
	if a = f.audit(made, &ClientCounts{Acknowledged: 9, Enqueued: 36}); a.OK || a.Lost != 1 {
		t.Errorf("a producer's job lost: %+v", a)
	}
	if a = f.audit(made, &ClientCounts{Acknowledged: 10, Enqueued: 35}); a.OK {
		t.Errorf("a job given to two clients: %+v", a)
	}
}

func TestJobsReplacedAndDropped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.makeJobs(f.jobs(Plain))
	f.makeJobs(f.jobs(Unlogged))
	dropped, _, err := Drop(t.Context(), f.conn, f.schema)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, o := range []string{"type jobs_status", "type statistics_status", "table jobs", "table jobs_log", "table statistics", "function jobs_complete(job bigint, result text)"} {
		kind, name, _ := strings.Cut(o, " ")
		want = append(want, fmt.Sprintf("%s %s.%s", kind, f.schema, name))
	}
	if diff := cmp.Diff(append(want, fmt.Sprintf("schema %q", f.schema)), dropped); diff != "" {
		t.Error(diff)
	}
}

func TestJobsTypesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"create type jobs_status as enum ('mine')", "create table statistics_status (a int)"} {
		f := newFixture(t)
		f.exec("create schema " + f.schema)
		f.exec(sql)
		for step, err := range map[string]error{"preflight": Preflight(t.Context(), f.conn, f.jobs(Plain)), "create": Create(t.Context(), f.conn, f.jobs(Plain))} {
			if err == nil || !strings.Contains(err.Error(), "is left alone: name another schema with --schema-name") {
				t.Errorf("%s after %s: %v", step, sql, err)
			}
		}
	}
}

func TestJobsOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		o    Options
		want string // of the keys, or the error
	}{
		{"defaults", Options{Workload: "jobs"}, "3 10"},
		{"given", Options{Workload: "jobs", Priorities: 1, Entrypoints: 60}, "1 60"},
		{"none", Options{Workload: "jobs", Entrypoints: -1}, "jobs cannot have -1 entrypoints: use a number from 1 to 2147483647"},
		{"another workload", Options{Workload: "orders", Priorities: 2}, `the workload "orders" has no priorities and entrypoints: leave them out, or use the workload "jobs"`},
	} {
		o, err := tt.o.Normalize()
		got := fmt.Sprint(o.Priorities, " ", o.Entrypoints)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestJobsTimes: the queue and the log have them exactly, statistics to the second.
func TestJobsTimes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.makeJobs(f.jobs(Plain))
	clock, err := Clock(t.Context(), f.conn)
	if err != nil {
		t.Fatal(err)
	}
	// Seeded and other earlier jobs are in no time. In the first, partial second
	// statistics do not tell earlier jobs from later ones.
	since := clock.Truncate(time.Second).Add(time.Minute + 300*time.Millisecond)
	until := since.Add(10 * time.Second)
	f.exec(`insert into statistics (count, created, priority, time_in_queue, status, entrypoint)
		values (3, date_trunc('second', $1::timestamp) + interval '1 s', 1, '2s', 'successful', 'entrypoint_1'),
		       (7, date_trunc('second', $1::timestamp), 1, '2s', 'successful', 'entrypoint_1'),
		       (5, $1::timestamp - interval '1 day', 1, '9s', 'successful', 'entrypoint_1')`, since.UTC())
	f.exec(`insert into jobs (priority, created, updated, status, entrypoint, payload)
		select 1, $1::timestamp + interval '6 s', $1::timestamp + interval '6.5 s', (array['picked', 'queued'])[n]::jobs_status, '', '' from generate_series(1, 2) n`, since.UTC())
	times, err := MeasureTimes(t.Context(), f.conn, made, since, until)
	if err != nil {
		t.Fatal(err)
	}
	if times.Orders != 5 || times.Untaken != 1 || times.EndToEnd != nil || times.EndToEndMost != nil || times.Waiting != 201 || times.Depth != 202 {
		t.Errorf("%+v", times)
	}
	// 500 ms, three in [2 s, 3 s), and one that is 4 s old.
	if q, most := times.Queue, times.QueueMost; q == nil || most == nil || q.Min != 500 || q.P50 != 2000 || q.Max != 4000 ||
		most.Min != 500 || most.P50 != 3000 || !math.IsInf(most.Max, 1) {
		t.Errorf("%+v, at most %+v", q, most)
	}
	f.exec("delete from jobs")
	f.exec(`insert into jobs_log (job_id, created, priority, time_in_queue, status, entrypoint)
		values (1, $1::timestamp + interval '1 minute', 1, '0.25s', 'successful', 'entrypoint_1')`, since.UTC())
	if times, err = MeasureTimes(t.Context(), f.conn, made, since, until); err != nil || times.Orders != 1 || times.Queue.Max != 250 || times.QueueMost != nil {
		t.Errorf("%+v, %v", times, err)
	}
}
