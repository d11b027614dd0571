create index jobs_queued on /*schema*/jobs (priority desc, id) where status = 'queued';
create index jobs_picked on /*schema*/jobs (updated, id desc) where status = 'picked';
