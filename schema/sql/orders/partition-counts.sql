-- Rows left in each partition, and how many of them were seeded ($1: the
-- highest seeded id; $2: the queue), in the order of the partitions' numbers. Materialized,
-- because the planner thinks of one partition and would count once for each.
with counts as materialized (
  select tableoid, count(*) as total, count(*) filter (where id <= $1::int8) as seeded
  from /*schema*/t_order_q
  group by tableoid
)
select coalesce(c.total, 0)::int8, coalesce(c.seeded, 0)::int8
from pg_inherits i
join pg_class p on p.oid = i.inhrelid
left join counts c on c.tableoid = p.oid
where i.inhparent = $2::text::regclass
order by substring(p.relname from '[0-9]+$')::int;
