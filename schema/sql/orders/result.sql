-- The result. It starts empty, so its indexes may be there from the start.
create /*unlogged*/ table /*schema*/t_order_u (
  id       serial8 primary key,
  order_id uuid unique,
  cts      timestamp not null,
  uts      timestamp not null,  -- taken at
  status   int not null
  /*doneColumn*/
);
