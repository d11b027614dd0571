-- How long each message waited: until it was claimed, and until it was completed.
select taken - cts as wait, uts - cts as total
from /*schema*/queue_done
where cts >= $1::timestamp
