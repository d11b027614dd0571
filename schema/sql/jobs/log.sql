-- Completed jobs one by one, in place of the upsert into statistics; whoever
-- aggregates them marks the rows. Only jobs-log writes here.
create /*unlogged*/ table /*schema*/jobs_log (
  id            serial8 primary key,
  job_id        int8 not null,
  created       timestamptz not null,
  priority      int not null,
  time_in_queue interval not null,
  status        /*schema*/statistics_status not null,
  entrypoint    text not null,
  aggregated    bool not null default false
);
create index jobs_log_pending on /*schema*/jobs_log (id) where not aggregated;
