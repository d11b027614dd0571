-- qbench: summary = partitioned behind a PL/pgSQL function with one prepared statement per partition
-- qbench: workload = orders
-- qbench: layouts = partitioned
-- qbench: param partitions = 256 : number of partitions of the queue
-- qbench: functions = dyn_pre_orders
-- qbench: orders = value
-- qbench: rows = 1
select dyn_pre_orders(:partitions, :client_id);
