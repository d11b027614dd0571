create unique index jobs_pkey on /*schema*/jobs (id);
