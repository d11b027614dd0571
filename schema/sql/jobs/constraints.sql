alter table /*schema*/jobs add constraint jobs_pkey primary key using index jobs_pkey;
