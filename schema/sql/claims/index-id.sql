create unique index queue_pkey on queue (id);
