-- qbench: summary = one statement: delete the oldest order whose advisory lock is free
-- qbench: workload = orders
-- qbench: layouts = plain, unlogged
-- An advisory lock knows nothing of row versions: a scan on an older snapshot
-- still sees an order that was deleted a moment ago, wins its lock, and finds
-- nothing to delete. Such a transaction is empty.
-- Not for the partitioned layout: a ctid names one row in each partition.
-- qbench: orders
-- qbench: rows = 1
with taken as (
  delete from t_order_q
  where ctid = (
    select ctid from t_order_q
    where pg_try_advisory_xact_lock(id)
    order by id limit 1)
  returning order_id, cts
)
insert into t_order_u (order_id, cts, uts, status)
select order_id, cts, clock_timestamp(), 1 from taken;
