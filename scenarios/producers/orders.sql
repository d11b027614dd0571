-- qbench: summary = put orders into the order queue
-- qbench: workload = orders
-- qbench: param enqueue_batch = 1 : orders per transaction
-- qbench: param order_seed = 1 : what order numbers are derived from
-- qbench: param notify = 0 : 1 wakes idle consumers that listen
-- Numbers come from the sequence that the ids come from, so that no two
-- producers share one and every number can be recomputed: md5(seed || ':' || id).
\if :notify = 1
-- qbench: orders = value
-- qbench: rows = enqueue_batch
with new as (
  insert into t_order_q (id, order_id, cts)
  select n, md5(:order_seed::text || ':' || n)::uuid, clock_timestamp()
  from (select nextval('t_order_q_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers
  returning 1
)
select count(*), pg_notify('qbench', '') from new;
\else
-- qbench: orders
-- qbench: rows = enqueue_batch
insert into t_order_q (id, order_id, cts)
select n, md5(:order_seed::text || ':' || n)::uuid, clock_timestamp()
from (select nextval('t_order_q_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers;
\endif
