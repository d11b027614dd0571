create unique index jobs_pkey on jobs (id);
