-- The queue, without its indexes: they are built after the load, which is
-- several times faster than keeping them up row by row.
create /*unlogged*/ table /*schema*/t_order_q (
  id       serial8 not null,
  order_id uuid,                -- the order number from upstream
  cts      timestamp not null   -- created upstream
  /*payload*/
);
