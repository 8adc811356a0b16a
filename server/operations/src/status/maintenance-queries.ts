import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Maintenance: trading writes are rejected; cancellations, declines and withdrawals are not. */
export interface Maintenance {
  /** Text for visitors, or null. */
  notice: string | null
  since: Date
}

/** Returns the current maintenance, or null. */
export async function findMaintenance(sql: Queryable): Promise<Maintenance | null> {
  const [row] = await sql<{ notice: string | null; since: Date }[]>`
    select value::jsonb ->> 'notice' as notice, coalesce((value::jsonb ->> 'since')::timestamptz, '-infinity') as since
    from settings where name = 'maintenance'`
  return row ?? null
}

/** Begins maintenance, or replaces the notice of the current maintenance. */
export async function beginMaintenance(sql: Queryable, notice: string | null): Promise<void> {
  await sql`
    insert into settings as s (name, value)
    values ('maintenance', jsonb_build_object('notice', ${notice}::text, 'since', clock_timestamp())::text)
    on conflict (name) do update
      set value = jsonb_build_object('notice', ${notice}::text, 'since', s.value::jsonb -> 'since')::text`
}

/** Ends maintenance. Returns false if there was none. */
export async function endMaintenance(sql: Queryable): Promise<boolean> {
  const rows = await sql<{ name: string }[]>`delete from settings where name = 'maintenance' returning name`
  return rows.length > 0
}
