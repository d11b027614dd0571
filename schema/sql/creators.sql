-- The roles that may create objects in schema $1, except this one and superusers,
-- and with pg_database_owner replaced by the owner of the database.
with granted as (
  select n.nspowner as role from pg_namespace n where n.nspname = $1::text
  union
  select a.grantee from pg_namespace n, aclexplode(n.nspacl) a
  where n.nspname = $1::text and a.privilege_type = 'CREATE'
), holders as (
  -- The database's owner is pg_database_owner's only member.
  select case when role = 'pg_database_owner'::regrole then (select datdba from pg_database where datname = current_database()) else role end as role
  from granted
)
select distinct case when h.role = 0 then 'PUBLIC' else quote_ident(r.rolname) end
from holders h
left join pg_roles r on r.oid = h.role
where h.role = 0 or not r.rolsuper and r.rolname <> current_user
order by 1;
