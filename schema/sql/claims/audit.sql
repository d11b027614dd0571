-- The proof of exactly-once, as orders/audit.sql has it; order numbers are
-- compared as text, because a payload may hold anything.
--
-- kind 0: seeded, 1: a producer's, 2: in the queue, 3: logged as done, 4: in the
-- queue and claimed.
-- $1 seed as text; $2 number of seeded orders; $3 last number that producers may
-- have used.
with entries as (
  select md5($1::text || ':' || n) as order_id, 0::int2 as kind
  from generate_series(1, $2::int8) n
  union all
  select md5($1::text || ':' || n), 1::int2
  from generate_series($2::int8 + 1, $3::int8) n
  union all
  select payload ->> 'order', case when process_id is null then 2::int2 else 4::int2 end from /*schema*/queue
  union all
  select order_id, 3::int2 from /*schema*/queue_done
), orders as (
  select order_id,
         count(*) filter (where kind = 0) as seeded,
         count(*) filter (where kind = 1) as enqueued,
         count(*) filter (where kind in (2, 4)) as queued,
         count(*) filter (where kind = 3) as done,
         count(*) filter (where kind = 4) as claimed
  from entries
  group by order_id
)
select seeded, enqueued, queued, done, claimed, count(*) as orders,
       coalesce(min(order_id) filter (where seeded + enqueued <> 1 or queued + done <> 1), 'null') as example
from orders
group by seeded, enqueued, queued, done, claimed
order by 1, 2, 3, 4, 5;
