-- Gives a small queue the free space of one that has been in use: VACUUM, which
-- comes next, keeps it. Statements that are prepared while the table has few
-- pages plan to read all of them to find the jobs of a batch by their ids, and
-- go on doing so when it has many, until it is analyzed again: that would be all
-- that a run with producers measured.
alter table /*schema*/jobs set (vacuum_truncate = off);
insert into /*schema*/jobs (id, priority, created, updated, status, entrypoint)
select -n, 0, now(), now(), 'queued', '' from generate_series(1, /*rows*/20000) n;
delete from /*schema*/jobs where id < 0;
