-- qbench: summary = claim the oldest free message, work on it, complete it: two statements, each a transaction of its own
-- qbench: workload = claims
-- qbench: layouts = plain, unlogged
-- qbench: param work = 0 : time between claiming a message and completing it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
-- The row is locked for as long as the claim takes, not for as long as the work
-- does. A worker that dies in between leaves a claimed message behind.
\set mid 0
update queue set process_id = :client_id, taken = clock_timestamp()
where id = (
  select id from queue
  where process_id is null
  order by id for update skip locked limit 1)
returning id as mid, payload \aset
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
