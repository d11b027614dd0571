-- How many jobs were completed, by everything that is known of a job. Its
-- times are cut to the second, so that many jobs share a row.
create /*unlogged*/ table /*schema*/statistics (
  id            serial8 primary key,
  count         int8 not null,
  created       timestamptz not null,
  priority      int not null,
  time_in_queue interval not null,
  status        /*schema*/statistics_status not null,
  entrypoint    text not null,
  constraint statistics_key unique (priority, created, time_in_queue, status, entrypoint)
);
