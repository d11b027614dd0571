-- Works through the queue on the server: next message, work, complete, commit.
-- It ends when there is no free message, or after the given number of them, so
-- that a client hears of its progress; handled is how many there were.
create procedure /*schema*/process_queue(process int, work_us int8, work_exp int, batch int, inout handled int)
language plpgsql as $$
declare
  message int;
begin
  handled := 0;
  while handled < batch loop
    select m.id into message from /*schema*/get_next_message(process) m;
    exit when not found;
    if work_us > 0 then
      perform pg_sleep(case when work_exp = 1 then -ln(1 - random()) else 1 end * work_us / 1e6);
    end if;
    handled := handled + /*schema*/complete_message(message, process);
    commit;
  end loop;
end
$$;
