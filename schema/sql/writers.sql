-- The other sessions with a writer's lock on the tables $2 of schema $1 or on
-- their partitions. Row share is that of SELECT FOR UPDATE.
select distinct l.pid, coalesce(a.state, '')
from pg_catalog.pg_locks l
join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) l.relation
join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace
left join pg_catalog.pg_stat_activity a on a.pid operator(pg_catalog.=) l.pid
where l.locktype operator(pg_catalog.=) 'relation'
  and l.database operator(pg_catalog.=) (select d.oid from pg_catalog.pg_database d where d.datname operator(pg_catalog.=) pg_catalog.current_database())
  and l.mode operator(pg_catalog.=) any('{RowShareLock,RowExclusiveLock}'::pg_catalog.text[]) and l.granted
  and n.nspname operator(pg_catalog.=) $1::pg_catalog.text
  and (c.relname operator(pg_catalog.=) any($2::pg_catalog.text[]) or c.relispartition)
  and l.pid operator(pg_catalog.<>) pg_catalog.pg_backend_pid()
order by 1;
