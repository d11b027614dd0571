-- How long each job waited until it was picked: exactly where there is a log,
-- otherwise cut to the second, since statistics know no more. When a job was
-- completed is recorded nowhere.
select greatest(time_in_queue, interval '0') as wait, null::interval as total
from /*schema*/jobs_log
where created >= $1::timestamp
union all
select greatest(time_in_queue, interval '0'), null
from /*schema*/statistics, generate_series(1, count)
where created >= $1::timestamp and not exists (select from /*schema*/jobs_log)
