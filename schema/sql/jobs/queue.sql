-- The queue, without its indexes: they are built after the load, which is
-- several times faster than keeping them up row by row.
create /*unlogged*/ table /*schema*/jobs (
  id         serial8 not null,
  priority   int not null,          -- higher is sooner
  created    timestamptz not null,
  updated    timestamptz not null,  -- when it was queued or picked
  status     /*schema*/jobs_status not null,
  entrypoint text not null,         -- the function that the job is for
  payload    bytea                  -- the job's number, md5(seed:n), then what pads it
);
-- The payload is stored as it is, or its padding would be compressed to nothing.
alter table /*schema*/jobs alter payload set storage external;
