-- What bears the mark $2 in schema $1: tables (not partitions, which go with
-- their parent), functions, procedures and enums.
select 'table' as kind, c.relname::text as name, format('%I.%I', n.nspname, c.relname) as reference,
       obj_description(c.oid, 'pg_class') as comment
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1::text and c.relkind in ('r', 'p')
  and starts_with(obj_description(c.oid, 'pg_class'), $2::text)
union all
select case p.prokind when 'p' then 'procedure' else 'function' end, p.proname::text,
       format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
       obj_description(p.oid, 'pg_proc')
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1::text and p.prokind in ('f', 'p')
  and starts_with(obj_description(p.oid, 'pg_proc'), $2::text)
union all
select 'type', t.typname::text, format('%I.%I', n.nspname, t.typname), obj_description(t.oid, 'pg_type')
from pg_type t
join pg_namespace n on n.oid = t.typnamespace
where n.nspname = $1::text and t.typtype = 'e'
  and starts_with(obj_description(t.oid, 'pg_type'), $2::text)
order by 1 desc, 2;
