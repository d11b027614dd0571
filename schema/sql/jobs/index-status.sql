create index jobs_queued on jobs (priority desc, id) where status = 'queued';
create index jobs_picked on jobs (updated, id desc) where status = 'picked';
