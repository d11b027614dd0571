-- qbench: summary = skip-locked in one statement that moves several orders
-- qbench: workload = orders
-- qbench: layouts = plain, unlogged
-- qbench: param batch = 10 : orders per transaction
-- Not for the partitioned layout: a ctid names one row in each partition.
-- qbench: orders
-- qbench: rows = batch
with taken as (
  delete from t_order_q
  where ctid = any (array(
    select ctid from t_order_q
    order by id for update skip locked limit :batch))
  returning order_id, cts
)
insert into t_order_u (order_id, cts, uts, status)
select order_id, cts, clock_timestamp(), 1 from taken;
