-- The proof of exactly-once for jobs, in the form that orders/audit.sql gives.
-- What proves what:
--  * a job in the queue is known by its id and its payload, one in the log by
--    its id: each should be there once;
--  * a job that is in neither must have been added to statistics, which keep no
--    identity. But its priority and entrypoint follow from its number, so for
--    each pair of these the jobs gone and the jobs counted are as many. One that
--    is lost and one that is counted twice hide each other only if they share
--    both, and then from this proof alone: clients count the jobs that they
--    were given, so a job given twice is one acknowledged too many.
-- What is counted of a pair is dealt out to the jobs that it should count, those
-- that the log names first, then the seeded ones, then the producers', whose
-- numbers may have holes. Whatever is left over goes to the first of them.
--
-- $1 seed as text; $2 number of seeded jobs; $3 last number that producers may
-- have used.
with numbers as (
  select n,
         ('x' || substr(d, 1, 8))::bit(32)::int8 % /*priorities*/3 as priority,
         ('x' || substr(d, 9, 8))::bit(32)::int8 % /*entrypoints*/10 as entrypoint
  from (select n, md5($1::text || ':' || n) as d from generate_series(1, greatest($2::int8, $3::int8)) n offset 0) s
), entries as (
  select case when substr(payload, 1, 16) = decode(md5($1::text || ':' || id), 'hex') then id end as n,
         1 as queued, (status = 'picked')::int as claimed, 0 as fresh, 0 as aggregated
  from /*schema*/jobs
  union all
  select job_id, 0, 0, (not aggregated)::int, aggregated::int from /*schema*/jobs_log
), found as (
  select n, count(*) filter (where queued = 1) as queued, count(*) filter (where claimed = 1) as claimed,
         count(*) filter (where fresh = 1) as fresh, count(*) filter (where aggregated = 1) as aggregated
  from entries
  group by n
), keys as (
  -- Numbers sort several times faster than names; a name of no job has none.
  select priority, substring(entrypoint from '^entrypoint_(0|[1-9][0-9]{0,17})$')::int8 as entrypoint, sum(count)::int8 as counted
  from /*schema*/statistics group by 1, 2
), jobs_found as (
  select n, priority, entrypoint,
         coalesce(queued, 0) as queued, coalesce(claimed, 0) as claimed, coalesce(fresh, 0) as fresh,
         coalesce(aggregated, 0) as aggregated,
         case when aggregated > 0 then aggregated when queued + fresh > 0 then 0 else 1 end as share
  from numbers left join found using (n)
), dealt as (
  select *, row_number() over key = 1 as first, (sum(share) over key)::int8 - share as before,
         (sum(share) over (partition by priority, entrypoint))::int8 as shares
  from jobs_found
  window key as (partition by priority, entrypoint
                 order by aggregated = 0, share = 0, n rows unbounded preceding)
), judged as (
  select n, priority, entrypoint,
         (n <= $2::int8)::int::int8 as seeded, (n > $2::int8)::int::int8 as enqueued, queued::int8, claimed::int8,
         (fresh + least(share, greatest(coalesce(counted, 0) - before, 0))
          + case when first then greatest(coalesce(counted, 0) - shares, 0) else 0 end)::int8 as done
  from dealt left join keys using (priority, entrypoint)
  union all
  select n, null, null, 0, 0, queued, claimed, fresh + aggregated
  from found where n is null or n > greatest($2::int8, $3::int8) or n < 1
  union all
  select null, priority, entrypoint, 0, 0, 0, 0, counted
  from keys where not exists (select from numbers where (numbers.priority, numbers.entrypoint) = (keys.priority, keys.entrypoint))
)
select seeded, enqueued, queued, done, claimed, count(*) as orders,
       coalesce(min(concat_ws(' ', n, 'priority ' || priority, 'entrypoint ' || entrypoint))
                filter (where seeded + enqueued <> 1 or queued + done <> 1), 'null') as example
from judged
group by seeded, enqueued, queued, done, claimed
order by 1, 2, 3, 4, 5;
