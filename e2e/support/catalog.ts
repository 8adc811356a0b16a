import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Lists the objects of the schema `public`, one per line: tables, columns, constraints, indexes, triggers, views, functions. */
export async function readCatalog(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select c.relname || ' ' || c.relkind::text || c.relpersistence::text || coalesce(c.reloptions::text, '')
      || case when c.relkind = 'v' then pg_get_viewdef(c.oid) else '' end as line
      from pg_class c where c.relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
        a.attgenerated, a.attstorage, pg_get_expr(d.adbin, d.adrelid))
      from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
    union all select concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) || coalesce(obj_description(oid, 'pg_proc'), '')
      from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`
  return rows.map(({ line }) => line)
}
