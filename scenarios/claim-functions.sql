-- qbench: summary = claim, with get_next_message and complete_message on the server
-- qbench: workload = claims
-- qbench: layouts = plain, unlogged
-- qbench: param work = 0 : time between claiming a message and completing it, in microseconds
-- qbench: param work_exp = 0 : 1 draws that time from an exponential distribution with this mean
-- qbench: functions = get_next_message, complete_message
\set mid 0
select id as mid, payload from get_next_message(:client_id) \aset
\if :mid > 0
\if :work > 0
\set pause case when :work_exp = 1 then int(-ln(random(1, 1000000000) / 1000000000.0) * :work) else :work end
\sleep :pause us
\endif
-- qbench: orders = value
-- qbench: rows = 1
select complete_message(:mid, :client_id);
\endif
