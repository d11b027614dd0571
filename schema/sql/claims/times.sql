-- How long each message that came since $1 waited: until it was claimed, and
-- until it was completed. Of those in the queue at $3 the claimed ones are not
-- done, and the others not even taken.
select taken - cts as wait, taken - cts as wait_most, uts - cts as total, uts - cts as total_most
from /*schema*/queue_done
where cts >= $1::timestamp
union all
select coalesce(taken - cts, age), taken - cts, age, null
from /*schema*/queue, greatest($3::timestamp - cts, interval '0') as age
where cts >= $1::timestamp
