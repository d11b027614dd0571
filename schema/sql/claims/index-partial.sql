-- Holds the unclaimed messages in the order in which they are claimed, so that
-- a claim reads its first entry however many claimed ones come before it.
create index queue_unclaimed_idx on /*schema*/queue (id) where process_id is null;
