create index queue_process_id_idx on queue (process_id);
