create index queue_process_id_idx on /*schema*/queue (process_id);
