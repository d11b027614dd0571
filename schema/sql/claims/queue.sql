-- The queue, without its indexes: they are built after the load, which is
-- several times faster than keeping them up row by row. The times are not the
-- source's: without them nobody could say how long a message waited, or give
-- back what a lost worker claimed.
create /*unlogged*/ table /*schema*/queue (
  id         serial not null,
  payload    jsonb not null,      -- the message, with its order number
  process_id int default null,    -- the worker that has claimed it
  cts        timestamp not null,  -- enqueued
  taken      timestamp            -- claimed
);
-- Payloads of any size stay as large as they are.
alter table /*schema*/queue alter payload set storage external;
