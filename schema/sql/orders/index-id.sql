create unique index t_order_q_pkey on /*schema*/t_order_q (id);
