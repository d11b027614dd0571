-- The log of completed messages. In the source completion only deletes, and a
-- message that was worked on twice or dropped would leave no trace; the log is
-- what exactly-once is proved by. It has no index: that would cost a completion
-- more than the row itself, and the audit finds duplicates without one.
create /*unlogged*/ table /*schema*/queue_done (
  id         int not null,        -- of the message
  order_id   text,                -- from its payload
  process_id int not null,
  cts        timestamp not null,  -- enqueued
  taken      timestamp not null,  -- claimed, the last time
  uts        timestamp not null   -- completed
);
