-- The proof of exactly-once in one pass: every order number that there should
-- be and every row that there is, grouped by number; then the orders counted
-- by what was found of them. One hash aggregate does what anti joins would
-- need four passes for, and the few rows of the answer are judged by the caller.
--
-- kind 0: seeded, 1: a producer's, 2: in the queue, 3: recorded as done.
-- $1 seed as text; $2 number of seeded orders; $3 last number that producers may
-- have used.
with entries as (
  select md5($1::text || ':' || n)::uuid as order_id, 0::int2 as kind
  from generate_series(1, $2::int8) n
  union all
  select md5($1::text || ':' || n)::uuid, 1::int2
  from generate_series($2::int8 + 1, $3::int8) n
  union all
  select order_id, 2::int2 from /*schema*/t_order_q
  union all
  select order_id, 3::int2 from /*schema*/t_order_u
), orders as (
  select order_id,
         count(*) filter (where kind = 0) as seeded,
         count(*) filter (where kind = 1) as enqueued,
         count(*) filter (where kind = 2) as queued,
         count(*) filter (where kind = 3) as done
  from entries
  group by order_id
)
select seeded, enqueued, queued, done, 0::int8 as claimed, count(*) as orders,
       coalesce(min(order_id::text) filter (where seeded + enqueued <> 1 or queued + done <> 1), 'null') as example
from orders
group by seeded, enqueued, queued, done
order by 1, 2, 3, 4;
