-- qbench: summary = put jobs into the job queue, as one insert from unnested arrays
-- qbench: workload = jobs
-- qbench: param enqueue_batch = 30 : jobs per transaction
-- qbench: param order_seed = 1 : what job numbers are derived from
-- qbench: param notify = 0 : 1 wakes idle consumers that listen
-- qbench: param priorities = 3 : number of different priorities
-- qbench: param entrypoints = 10 : number of different entrypoints
-- qbench: param payload_bytes = 0 : bytes that each job carries besides its number
-- Numbers come from the sequence that the ids come from, so that no two
-- producers share one, and everything of a job follows from md5(seed || ':' || id).
-- pgbench's variables hold no arrays, so they are made here, and unnested again
-- as they would be if a client had sent them.
\if :notify = 1
-- qbench: orders = value
-- qbench: rows = enqueue_batch
with arrays as (
  select array_agg(n) as ids,
         array_agg(('x' || substr(d, 1, 8))::bit(32)::int8 % :priorities::int8) as priorities,
         array_agg('entrypoint_' || ('x' || substr(d, 9, 8))::bit(32)::int8 % :entrypoints::int8) as entrypoints,
         array_agg(decode(d || repeat('78', :payload_bytes::int), 'hex')) as payloads
  from (
    select n, md5(:order_seed::text || ':' || n) as d
    from (select nextval('jobs_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers
    offset 0) jobs
), new as (
  insert into jobs (id, priority, created, updated, status, entrypoint, payload)
  select id, priority, clock_timestamp(), clock_timestamp(), 'queued', entrypoint, payload
  from arrays, unnest(ids, priorities, entrypoints, payloads) as job (id, priority, entrypoint, payload)
  returning 1
)
select count(*), pg_notify('qbench', '') from new;
\else
-- qbench: orders
-- qbench: rows = enqueue_batch
with arrays as (
  select array_agg(n) as ids,
         array_agg(('x' || substr(d, 1, 8))::bit(32)::int8 % :priorities::int8) as priorities,
         array_agg('entrypoint_' || ('x' || substr(d, 9, 8))::bit(32)::int8 % :entrypoints::int8) as entrypoints,
         array_agg(decode(d || repeat('78', :payload_bytes::int), 'hex')) as payloads
  from (
    select n, md5(:order_seed::text || ':' || n) as d
    from (select nextval('jobs_id_seq') as n from generate_series(1, :enqueue_batch::int)) numbers
    offset 0) jobs
)
insert into jobs (id, priority, created, updated, status, entrypoint, payload)
select id, priority, clock_timestamp(), clock_timestamp(), 'queued', entrypoint, payload
from arrays, unnest(ids, priorities, entrypoints, payloads) as job (id, priority, entrypoint, payload);
\endif
