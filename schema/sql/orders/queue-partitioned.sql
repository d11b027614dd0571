-- The partitioned queue, without its indexes. The parent itself stores
-- nothing, so durability is a matter of the partitions.
create table /*schema*/t_order_q (
  id       serial8 not null,
  order_id uuid,                -- not unique here: the key would have to contain id
  cts      timestamp not null
  /*payload*/
) partition by hash (id);
