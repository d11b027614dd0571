-- qbench: summary = as for-update, but skip the orders that others have locked
-- qbench: workload = orders
-- qbench: layouts = plain, unlogged, partitioned
-- qbench: param work = 0 : time between taking an order and recording it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
\set vid 0
begin;
select id as vid, extract(epoch from clock_timestamp()) as taken_at
from (select id from t_order_q order by id for update skip locked limit 1) as taken \aset
\if :vid > 0
\if :work > 0
\set pause case when :work_exp = 1 then int(-ln(random(1, 1000000000) / 1000000000.0) * :work) else :work end
\sleep :pause us
\endif
-- qbench: orders
-- qbench: rows = 1
with taken as (
  delete from t_order_q where id = :vid returning order_id, cts
)
insert into t_order_u (order_id, cts, uts, status)
select order_id, cts, to_timestamp(:taken_at), 1 from taken;
\endif
end;
