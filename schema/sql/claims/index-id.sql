create unique index queue_pkey on /*schema*/queue (id);
