create unique index t_order_q_pkey on t_order_q (id);
