-- Moves one order of the client's partition through a prepared statement p<N>
-- of the session, and returns the number of orders moved (0 or 1).
--
-- The statement is prepared by the handler of the error that the first call
-- meets. Every call therefore pays for a subtransaction; asking
-- pg_prepared_statements first would avoid it, but this is the published form
-- and its cost is what is measured.
create function /*schema*/dyn_pre_orders(partitions int, client_id int) returns bigint
language plpgsql as $$
declare
  part  int := client_id % partitions;
  moved bigint;
begin
  execute format('execute p%s', part) into moved;
  return moved;
exception when invalid_sql_statement_name then
  execute format($prepare$
    prepare p%1$s as
    with taken as (
      delete from %2$I.t_order_q_%1$s
      where ctid = (
        select ctid from %2$I.t_order_q_%1$s
        where pg_try_advisory_xact_lock(id)
        order by id limit 1)
      returning order_id, cts
    ), recorded as (
      insert into %2$I.t_order_u (order_id, cts, uts, status)
      select order_id, cts, clock_timestamp(), 1 from taken
      returning 1
    )
    select count(*) from recorded
  $prepare$, part, /*schemaName*/null);
  execute format('execute p%s', part) into moved;
  return moved;
end
$$;
