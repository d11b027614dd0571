-- Claims the oldest free message for a worker, and returns it.
--
-- In SQL rather than PL/pgSQL: there the output column id and the table's would
-- be ambiguous, and the locked row would have to be selected once more.
create function /*schema*/get_next_message(process int) returns table (id int, payload jsonb)
language sql as $$
  update /*schema*/queue q set process_id = process, taken = clock_timestamp()
  where q.id = (
    select n.id from /*schema*/queue n
    where n.process_id is null
    order by n.id for update skip locked limit 1)
  returning q.id, q.payload
$$;
