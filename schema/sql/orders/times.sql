-- How long each order that came since $1 waited: until the statement that took
-- it had it (uts), and until it was recorded. Those still in the queue at $3 are
-- neither taken nor done. A script of a user's may record its now(), which can be
-- before the order came, hence the 0.
select wait, wait as wait_most, (/*done*/null)::timestamp - cts as total, (/*done*/null)::timestamp - cts as total_most
from /*schema*/t_order_u, greatest(uts - cts, interval '0') as wait
where cts >= $1::timestamp
union all
select age, null, case when /*timed*/false then age end, null
from /*schema*/t_order_q, greatest($3::timestamp - cts, interval '0') as age
where cts >= $1::timestamp
