-- qbench: summary = take a batch; complete it job by job, each with an upsert of its own
-- qbench: workload = jobs
-- qbench: layouts = plain, unlogged
-- qbench: param batch = 10 : jobs per transaction
-- qbench: param work = 0 : time between picking a batch and completing it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
-- qbench: state taken = 0
-- qbench: functions = jobs_complete
-- The upserts of a transaction lock statistics in the order of the jobs, which is
-- another in each transaction: they deadlock. The calls are made within one
-- statement, since pgbench has no loop; a client's loop adds a round trip per job.
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
begin;
-- Counted are the jobs that this client has worked on, see jobs-grouped.
-- qbench: orders = value
-- qbench: rows = taken
select count(*) from (
  select jobs_complete(id, 'successful') from unnest(btrim(:ids, '''')::int8[]) as id
) as calls;
end;
\set taken 0
\endif
