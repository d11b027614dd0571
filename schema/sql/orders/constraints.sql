-- Turns the indexes that two connections built side by side into the
-- constraints that "primary key" and "unique" in the definition would have made.
alter table /*schema*/t_order_q
  add constraint t_order_q_pkey primary key using index t_order_q_pkey,
  add constraint t_order_q_order_id_key unique using index t_order_q_order_id_key;
