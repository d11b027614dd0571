-- The primary keys of a share of the partitions. The parent's key adopts them.
do $$
begin
  for i in /*first*/0 .. /*last*/255 loop
    execute format('alter table t_order_q_%s add constraint t_order_q_%s_pkey primary key (id)', i, i);
  end loop;
end
$$;
