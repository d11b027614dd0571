alter table /*schema*/t_order_q add constraint t_order_q_pkey primary key (id);
