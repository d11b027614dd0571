-- A script with everything in it. This line goes, the next stays.
-- qbench: summary = takes a row
\SET x   random( 1,10 )+2 * :client_id
\set y case when :x>5 and not :x isnull then hash(:x) \
  else -9223372036854775808 end

   begin ; /* kept */ select 1 \; select 2
   -- kept too
   ;
-- qbench: orders
select id as "i" from q where x = :x::int \gset q_
select 'a;' || $$;$$ as b; \aset
\if :q_i >= 1.50 or 1 = 2
    \sleep 10ms
\elif ~:x|1 != 0
  \shell echo ::x :y   z
\else
    \setshell v  echo 5
    \startpipeline
    select 3
    \syncpipeline
    \endpipeline
\endif
select 4 \
commit
