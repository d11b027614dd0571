-- One partition of the queue.
create /*unlogged*/ table /*schema*/t_order_q_/*i*/0 partition of /*schema*/t_order_q
for values with (modulus /*partitions*/256, remainder /*i*/0);
