-- What a job is in the queue, and how it left it.
create type jobs_status as enum ('queued', 'picked');
create type statistics_status as enum ('successful', 'exception', 'canceled');
