-- qbench: summary = take a batch; append it to a log, which client 0 adds to the statistics now and then
-- qbench: workload = jobs
-- qbench: layouts = plain, unlogged
-- qbench: param batch = 10 : jobs per transaction
-- qbench: param aggregate_every = 100 : transactions of client 0 between two aggregations of the log
-- qbench: state turn = 0
-- qbench: param work = 0 : time between picking a batch and completing it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
-- qbench: state taken = 0
-- Only client 0 aggregates, so no two aggregations meet, and no second script
-- with a weight is needed; its own transaction pays for it, which the highest
-- latencies show.
-- Taking and completing are two transactions, as in the source; a picked batch
-- stays in ids until it is completed, so that a completion that was rolled
-- back is tried again with the same jobs, by a retry or by the next transaction.
-- The quotes around the array make it the same text as a literal (simple) and
-- as a parameter (extended, prepared); btrim takes them off.
\if :taken = 0
with next as (
  select id from jobs
  where status = 'queued'
  order by priority desc, id
  for update skip locked
  limit :batch
), picked as (
  update jobs set status = 'picked', updated = clock_timestamp()
  where id = any (array(select id from next))
  returning id, priority
)
select count(*) as taken, quote_literal(coalesce(array_agg(id order by priority desc, id), '{}')::text) as ids
from picked \gset
\endif
\if :taken > 0
\if :work > 0
\set pause case when :work_exp = 1 then int(-ln(random(1, 1000000000) / 1000000000.0) * :work) else :work end
\sleep :pause us
\endif
-- Counted are the jobs that this client has worked on, see jobs-grouped.
-- qbench: orders = value
-- qbench: rows = taken
with result as (
  select id, status
  from unnest(btrim(:ids, '''')::int8[], array_fill('successful'::statistics_status, array[:taken::int])) as r (id, status)
), done as (
  delete from jobs where id = any (array(select id from result))
  returning id, priority, created, updated, entrypoint
), logged as (
  insert into jobs_log (job_id, created, priority, time_in_queue, status, entrypoint)
  select id, created, priority, updated - created, status, entrypoint
  from done join result using (id)
)
select count(*) from result;
\set taken 0
\endif
\set turn (:turn + 1) % :aggregate_every
\if :client_id = 0 and :turn = 0
-- The plan is made while the log is short, and reading all of it would stay the
-- plan when it is long.
begin;
set local enable_seqscan = off;
with news as (
  update jobs_log set aggregated = true
  where not aggregated
  returning date_trunc('second', created) as created, priority, date_trunc('second', time_in_queue) as time_in_queue, status, entrypoint
)
insert into statistics (count, created, priority, time_in_queue, status, entrypoint)
select count(*), created, priority, time_in_queue, status, entrypoint
from news
group by created, priority, time_in_queue, status, entrypoint
on conflict on constraint statistics_key do update set count = statistics.count + excluded.count;
end;
\endif
