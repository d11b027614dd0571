-- The primary key of one partition. The parent's key adopts it.
alter table /*schema*/t_order_q_/*i*/0 add constraint /*key*/t_order_q_0_pkey primary key (id);
