-- qbench: summary = skip-locked-single on one partition after the other, so that none starves
-- qbench: workload = orders
-- qbench: layouts = partitioned
-- qbench: param partitions = 256 : number of partitions of the queue
-- qbench: param clients = 1 : number of clients of the run
-- qbench: state turn = 0
-- qbench: state moved = 1
-- qbench: inline = p
-- Clients stride through the partitions so that they do not meet: with as many
-- clients as partitions each stays on its own. One that finds its partition
-- empty steps to the next one instead, and so helps the others out.
\set turn :turn + case when :moved > 0 then :clients else 1 end
\set p (:client_id + :turn) % :partitions
-- qbench: orders = value
-- qbench: rows = 1
with taken as (
  delete from t_order_q_:p
  where ctid = (
    select ctid from t_order_q_:p
    order by id for update skip locked limit 1)
  returning order_id, cts
), recorded as (
  insert into t_order_u (order_id, cts, uts, status)
  select order_id, cts, clock_timestamp(), 1 from taken
  returning 1
)
select count(*) as moved from recorded \aset
