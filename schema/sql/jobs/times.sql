-- How long each job that came since $1 waited until it was picked: exactly in
-- the queue and in the log. Statistics, which count where the log has nothing,
-- are cut to the second, so that a time there lies within the second above it,
-- and only jobs that came in a whole second after $1 are known to have come
-- since. When a job was completed is recorded nowhere.
with since as (
  select $1::timestamp::timestamptz as exact, logged,
         case when logged then $1::timestamp else date_trunc('second', $1::timestamp + interval '999999 microseconds') end::timestamptz as whole
  from (select exists (select from /*schema*/jobs_log where created >= $1::timestamp) as logged) log
)
select wait, wait as wait_most, null::interval as total, null::interval as total_most
from /*schema*/jobs_log, since, greatest(time_in_queue, interval '0') as wait
where created >= exact
union all
select wait, wait + interval '1 second', null, null
from /*schema*/statistics, since, greatest(time_in_queue, interval '0') as wait, generate_series(1, count)
where not logged and created >= whole
union all
select wait, case when status = 'picked' then wait end, null, null
from /*schema*/jobs, since,
     greatest(case when status = 'picked' then updated else $3::timestamp end - created, interval '0') as wait
where created >= whole
