-- qbench: summary = put messages into the claim queue
-- qbench: workload = claims
-- qbench: param enqueue_batch = 1 : orders per transaction
-- qbench: param order_seed = 1 : what order numbers are derived from
-- qbench: param notify = 0 : 1 wakes idle consumers that listen
-- qbench: param payload_bytes = 0 : bytes that each message carries besides its number
-- Numbers come from the sequence that the ids come from, so that no two
-- producers share one and every number can be recomputed: md5(seed || ':' || id).
\if :notify = 1
-- qbench: orders = value
-- qbench: rows = enqueue_batch
with new as (
  insert into queue (id, payload, cts)
  select n,
         jsonb_build_object('order', md5(:order_seed::text || ':' || n))
         || case when :payload_bytes::int > 0 then jsonb_build_object('pad', repeat('x', :payload_bytes::int)) else '{}' end,
         clock_timestamp()
  from (select nextval('queue_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers
  returning 1
)
select count(*), pg_notify('qbench', '') from new;
\else
-- qbench: orders
-- qbench: rows = enqueue_batch
insert into queue (id, payload, cts)
select n,
       jsonb_build_object('order', md5(:order_seed::text || ':' || n))
       || case when :payload_bytes::int > 0 then jsonb_build_object('pad', repeat('x', :payload_bytes::int)) else '{}' end,
       clock_timestamp()
from (select nextval('queue_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers;
\endif
