-- What a job is in the queue, and how it left it.
create type /*schema*/jobs_status as enum ('queued', 'picked');
create type /*schema*/statistics_status as enum ('successful', 'exception', 'canceled');
