-- qbench: summary = advisory-lock on one partition per client (client number modulo partitions)
-- qbench: workload = orders
-- qbench: layouts = partitioned
-- qbench: param partitions = 256 : number of partitions of the queue
-- qbench: inline = p
-- With fewer clients than partitions the partitions without a client are never
-- drained; see partitioned-skip-locked.
\set p :client_id % :partitions
-- qbench: orders
-- qbench: rows = 1
with taken as (
  delete from t_order_q_:p
  where ctid = (
    select ctid from t_order_q_:p
    where pg_try_advisory_xact_lock(id)
    order by id limit 1)
  returning order_id, cts
)
insert into t_order_u (order_id, cts, uts, status)
select order_id, cts, clock_timestamp(), 1 from taken;
