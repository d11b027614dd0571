-- The relations of schema $1 that bear a name of $2: is each made by qbench
-- (mark $3 on the table that it belongs to), and may this role drop it?
select c.relname::text,
       c.relkind::text,
       coalesce(starts_with(obj_description(t.root, 'pg_class'), $3::text), false) as made,
       pg_has_role(c.relowner, 'USAGE') as ours
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
cross join lateral (
  select coalesce(
    (select x.indrelid from pg_index x where x.indexrelid = c.oid),
    (select d.refobjid from pg_depend d
     where d.classid = 'pg_class'::regclass and d.objid = c.oid
       and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and c.relkind = 'S'
     limit 1),
    c.oid) as owner
) o
cross join lateral (
  select coalesce(pg_partition_root(o.owner), o.owner) as root
) t
where n.nspname = $1::text and c.relname = any($2::text[])
order by c.relname;
