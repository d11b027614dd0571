-- Summarises a workload's times, in milliseconds. Of an order that still waits
-- wait is its age and wait_most, which bounds it from above, is null; total and
-- total_most likewise, with both null where the tables do not say when an order
-- was done. The k-th smallest of the lower bounds and the k-th smallest of the
-- upper ones bound the k-th smallest time. $2 are the percentiles. The upper
-- bounds' are computed only where they differ, because each sorts all orders.
with times as materialized (
  select extract(epoch from wait)::float8 * 1000 as wait,
         coalesce(extract(epoch from wait_most)::float8 * 1000, 'infinity') as wait_most,
         extract(epoch from total)::float8 * 1000 as total,
         case when total is not null then coalesce(extract(epoch from total_most)::float8 * 1000, 'infinity') end as total_most
  from /*times*/waits t
), known as (
  select bool_and(wait = wait_most) as wait, bool_and(total = total_most) as total from times
)
select count(*), count(*) filter (where wait_most = 'infinity'), count(*) filter (where total_most = 'infinity'),
       avg(wait), stddev_pop(wait), min(wait), max(wait), percentile_disc($2::float8[]) within group (order by wait),
       (select array[avg(wait_most), min(wait_most), max(wait_most)] || percentile_disc($2::float8[]) within group (order by wait_most)
        from times where not (select wait from known) having count(*) > 0),
       avg(total), stddev_pop(total), min(total), max(total), percentile_disc($2::float8[]) within group (order by total),
       (select array[avg(total_most), min(total_most), max(total_most)] || percentile_disc($2::float8[]) within group (order by total_most)
        from times where not (select total from known) having count(*) > 0)
from times
