-- How long each order waited: until the transaction that took it began (uts is
-- its now()), and until it was recorded. A transaction may begin shortly before
-- the order comes that it then finds, hence the 0.
select greatest(uts - cts, interval '0') as wait, (/*done*/null)::timestamp - cts as total
from /*schema*/t_order_u
where cts >= $1::timestamp
