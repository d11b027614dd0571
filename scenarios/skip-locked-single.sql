-- qbench: summary = skip-locked in one statement
-- qbench: workload = orders
-- qbench: layouts = plain, unlogged
-- Not for the partitioned layout: a ctid names one row in each partition.
-- qbench: orders
-- qbench: rows = 1
with taken as (
  delete from t_order_q
  where ctid = (
    select ctid from t_order_q
    order by id for update skip locked limit 1)
  returning order_id, cts
)
insert into t_order_u (order_id, cts, uts, status)
select order_id, cts, clock_timestamp(), 1 from taken;
