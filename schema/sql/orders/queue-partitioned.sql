-- The partitioned queue, without its indexes. The parent itself stores
-- nothing, so durability is a matter of the partitions.
create table t_order_q (
  id       serial8 not null,
  order_id uuid,                -- not unique here: the key would have to contain id
  cts      timestamp not null
  /*payload*/
) partition by hash (id);

do $$
begin
  for i in 0 .. /*partitions*/256 - 1 loop
    execute format(
      'create /*unlogged*/ table t_order_q_%s partition of t_order_q for values with (modulus %s, remainder %s)',
      i, /*partitions*/256, i);
  end loop;
end
$$;
