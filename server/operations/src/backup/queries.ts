import type { Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * Tables that are not archived. Events and leases are only valid in one cluster. Sign-ins and sessions may
 * have ended since the backup.
 */
const LEFT_OUT = ['migrations', 'leases', 'live_events', 'auth_requests', 'sessions']

export interface Table {
  name: string
  /** Columns that are not generated, in order. */
  columns: string[]
}

/** Lists the archived tables. Unlogged tables are excluded, because the server rebuilds them. */
export function listTables(sql: Queryable): Promise<Table[]> {
  return sql<Table[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and not c.relname = any(${LEFT_OUT}::text[])
    group by c.relname order by c.relname`
}

/** Lists all tables, including other programs' tables. */
export async function listAllTables(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')
    order by relname`
  return rows.map(({ name }) => name)
}

export function listApplied(sql: Queryable): Promise<{ name: string; checksum: string }[]> {
  return sql<{ name: string; checksum: string }[]>`select name, checksum from migrations order by name`
}

export function listSequences(sql: Queryable): Promise<{ name: string; last: number }[]> {
  return sql<{ name: string; last: number }[]>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`
}

export async function setSequence(sql: Queryable, name: string, last: number): Promise<void> {
  await sql`select setval(quote_ident(${name})::regclass, ${last}::bigint)`
}

/** Starts a read-only transaction with a consistent snapshot. */
export async function beginReading(sql: Queryable): Promise<void> {
  await sql.unsafe('begin isolation level repeatable read read only')
}

/** Events before this time are not unread in inboxes, because their rows since the backup are lost (functions/inbox.sql). */
export async function markRestored(sql: Queryable): Promise<void> {
  await sql`
    insert into settings (name, value) values ('restored at', clock_timestamp()::text)
    on conflict (name) do update set value = excluded.value`
}

export async function begin(sql: Queryable): Promise<void> {
  await sql.unsafe('begin')
}

export async function commit(sql: Queryable): Promise<void> {
  await sql.unsafe('commit')
}

/** Names come from the catalog of this database. */
export const copyOutOf = ({ name, columns }: Table) => `copy ${placeOf(name, columns)} to stdout`
export const copyInto = ({ name, columns }: Table) => `copy ${placeOf(name, columns)} from stdin`

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const placeOf = (name: string, columns: readonly string[]) =>
  `${quoted(name)} (${columns.map(quoted).join(', ')})`

export interface ForeignKey {
  tableName: string
  name: string
  definition: string
}

/** Drops foreign keys, disables triggers and empties the tables. Returns the foreign keys. */
export async function loosen(sql: Queryable, tables: readonly Table[]): Promise<ForeignKey[]> {
  const keys = await sql<ForeignKey[]>`
    select r.relname as table_name, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace order by 1, 2`
  for (const { tableName, name } of keys)
    await sql.unsafe(`alter table ${quoted(tableName)} drop constraint ${quoted(name)}`)
  for (const { name } of tables) await sql.unsafe(`alter table ${quoted(name)} disable trigger user`)
  await sql.unsafe(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  return keys
}

/** Restores foreign keys and triggers. PostgreSQL checks every row. */
export async function tighten(
  sql: Queryable,
  tables: readonly Table[],
  keys: readonly ForeignKey[],
): Promise<void> {
  for (const { tableName, name, definition } of keys)
    await sql.unsafe(`alter table ${quoted(tableName)} add constraint ${quoted(name)} ${definition}`)
  for (const { name } of tables) await sql.unsafe(`alter table ${quoted(name)} enable trigger user`)
}

/** Updates the planner statistics after a copy. */
export async function analyze(sql: Queryable): Promise<void> {
  await sql.unsafe('analyze')
}
