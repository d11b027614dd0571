-- What scripts name: tables, sequences, functions, procedures and types of
-- schema $1, with the function that looks such a name up. $2 relations (of which
-- partitions and indexes are left out), $3 routines (with the mark $5), $4 types.
select c.relname::text as name, 'to_regclass' as lookup, c.oid
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1::text and c.relname = any($2::text[]) and c.relkind in ('r', 'p', 'S') and not c.relispartition
union all
select format('%I(%s)', p.proname, oidvectortypes(p.proargtypes)), 'to_regprocedure', p.oid
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1::text and p.proname = any($3::text[])
  and starts_with(obj_description(p.oid, 'pg_proc'), $5::text)
union all
select t.typname::text, 'to_regtype', t.oid
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
where n.nspname = $1::text and t.typname = any($4::text[])
order by 2, 1;
