-- Summarises a workload's times, in milliseconds; $2 are the percentiles.
with times as materialized (
  select extract(epoch from wait)::float8 * 1000 as wait, extract(epoch from total)::float8 * 1000 as total
  from /*times*/waits t
)
select count(*),
       avg(wait), stddev_pop(wait), min(wait), max(wait), percentile_cont($2::float8[]) within group (order by wait),
       avg(total), stddev_pop(total), min(total), max(total), percentile_cont($2::float8[]) within group (order by total)
from times
