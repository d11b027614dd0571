-- Takes one picked job out of the queue and adds it to the statistics: an
-- upsert of its own for each job, which is what the loop strategies measure.
create function /*schema*/jobs_complete(job int8, result text) returns void
language sql as $$
  with done as (
    delete from /*schema*/jobs where id = job and status = 'picked'
    returning priority, created, updated, entrypoint
  )
  insert into /*schema*/statistics (count, created, priority, time_in_queue, status, entrypoint)
  select 1, date_trunc('second', created), priority, date_trunc('second', updated - created), result::/*schema*/statistics_status, entrypoint
  from done
  on conflict on constraint statistics_key do update set count = statistics.count + excluded.count
$$;
