alter table /*schema*/queue add constraint queue_pkey primary key using index queue_pkey;
