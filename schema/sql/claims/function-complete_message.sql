-- Deletes a message that the worker has claimed, logs it, and returns how many
-- there were: 0 if it was given back in the meantime, for then another worker
-- may have it.
create function /*schema*/complete_message(message int, process int) returns int
language sql as $$
  with done as (
    delete from /*schema*/queue where id = message and process_id = process
    returning id, payload, process_id, cts, taken
  ), logged as (
    insert into /*schema*/queue_done (id, order_id, process_id, cts, taken, uts)
    select id, payload ->> 'order', process_id, cts, taken, clock_timestamp() from done
    returning 1
  )
  select count(*)::int from logged
$$;
