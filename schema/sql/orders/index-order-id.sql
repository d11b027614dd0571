create unique index t_order_q_order_id_key on /*schema*/t_order_q (order_id);
