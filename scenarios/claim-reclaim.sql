-- qbench: summary = claim, and give back what was claimed longer than the lease ago
-- qbench: workload = claims
-- qbench: layouts = plain, unlogged
-- qbench: param work = 0 : time between claiming a message and completing it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
-- qbench: param lease = 30000 : time after which a claim is given back, in milliseconds; longer than any work takes
-- qbench: param look = 100 : look for such claims once in this many transactions, and whenever there is no free message
-- qbench: state turn = 0
-- A worker that is slower than the lease finds at completion that the message
-- is no longer its own and completes nothing: the work may be done twice, the
-- message is completed once. (If the same worker has claimed it again, that is
-- its own.)
\set mid 0
\set turn :turn + 1
update queue set process_id = :client_id, taken = clock_timestamp()
where id = (
  select id from queue
  where process_id is null
  order by id for update skip locked limit 1)
returning id as mid, payload \aset
\if :mid = 0 or :turn % :look = 0
update queue set process_id = null, taken = null
where id in (
  select id from queue
  where process_id is not null and taken < clock_timestamp() - :lease::float8 * interval '1 millisecond'
  order by id for update skip locked limit 1000);
\endif
\if :mid > 0
\if :work > 0
\set pause case when :work_exp = 1 then int(-ln(random(1, 1000000000) / 1000000000.0) * :work) else :work end
\sleep :pause us
\endif
-- qbench: orders
-- qbench: rows = 1
with done as (
  delete from queue where id = :mid and process_id = :client_id
  returning id, payload, process_id, cts, taken
)
insert into queue_done (id, order_id, process_id, cts, taken, uts)
select id, payload ->> 'order', process_id, cts, taken, clock_timestamp() from done;
\endif
