import { randomBytes } from 'node:crypto'
import { inTransaction, type Queryable, type Sql } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { assertAlone, breakingOf, listConnected } from './connected.ts'
import { type Migration, numberOf, readMigrations } from './migrations.ts'

/** Advisory lock that serializes migrations. */
const LOCK = 7_281_001

/**
 * Applies pending migrations in one transaction and returns their names. Throws ConfigError if the schema or a connected process is
 * incompatible.
 */
export function migrate(sql: Sql): Promise<string[]> {
  return inTransaction(sql, (tx) => migrateIn(tx, readMigrations()))
}

/** Like `migrate`, with the given migrations in an open transaction. */
export async function migrateIn(tx: Queryable, migrations: readonly Migration[]): Promise<string[]> {
  await tx`select pg_advisory_xact_lock(${LOCK})`
  const applied = await checkSchema(tx, migrations)
  await tx`
    create table if not exists migrations (
      name text primary key,
      checksum text not null,
      oldest_code text not null,
      applied_at timestamptz not null default now()
    )`
  const pending = migrations.filter(({ name }) => !applied.has(name))
  const breaking = breakingOf(pending, applied)
  if (breaking.length > 0) assertAlone(breaking, await listConnected(tx))
  for (const { name, text, checksum, oldestCode } of pending) {
    await tx.unsafe(text)
    await tx`insert into migrations (name, checksum, oldest_code) values (${name}, ${checksum}, ${oldestCode})`
  }
  await tx`insert into secrets (name, secret) values ('cursor', ${randomBytes(32)}) on conflict do nothing`
  return pending.map(({ name }) => name)
}

/**
 * Compares the schema with this code. Returns the names of applied migrations. Throws ConfigError for an unreleased or incompatible newer
 * schema.
 */
export async function checkSchema(
  sql: Queryable,
  migrations: readonly Migration[] = readMigrations(),
): Promise<Set<string>> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute where attrelid = to_regclass('migrations') and attnum > 0 and not attisdropped`
  if (columns.length === 0) return new Set()
  const rows = await sql<{ name: string; checksum: string; oldestCode: string }[]>`
    select name, checksum, oldest_code from migrations order by name`
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const newest = numberOf(migrations.at(-1)!.name)
  for (const { name, checksum, oldestCode } of rows) {
    const migration = known.get(name)
    if (migration ? migration.checksum !== checksum : numberOf(name) <= newest)
      throw new ConfigError(
        `DATABASE_URL: an unreleased version of ordbook created this database. Its migration ${name} differs from this version's, so it cannot be upgraded. Create an empty database or, for the embedded PostgreSQL, use a new DATA_DIR.`,
      )
    if (oldestCode > newest)
      throw new ConfigError(
        `DATABASE_URL: the database has migration ${name}, which requires a release with migration ${oldestCode}. The last migration of this release is ${newest}. Install a newer release.`,
      )
  }
  return new Set(rows.map(({ name }) => name))
}

/** Throws ConfigError if the database is empty. With `isCurrent`, also if migrations of this version are missing. */
export async function assertMigrated(sql: Queryable, { isCurrent = false } = {}): Promise<void> {
  const applied = await checkSchema(sql)
  if (applied.size === 0)
    throw new ConfigError(
      'The database is empty. Check DATABASE_URL, or start the server once to create the tables.',
    )
  if (isCurrent && applied.size < readMigrations().length)
    throw new ConfigError(
      'The database schema is older than this version. Start the server first; it migrates the schema.',
    )
}

/** Returns a secret shared by all processes. Throws if it is missing. */
export async function readSecret(sql: Sql, name: string): Promise<Uint8Array> {
  const [row] = await sql<{ secret: Uint8Array }[]>`select secret from secrets where name = ${name}`
  if (!row) throw new Error(`the database has no secret ${name}: run the migrations`)
  return row.secret
}
