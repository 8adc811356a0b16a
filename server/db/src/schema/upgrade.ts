import type { Queryable } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { breakingOf, type Connected, listConnected } from './connected.ts'
import { checkSchema } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** The changes that an upgrade will make to a database. */
export interface UpgradePlan {
  /** Migrations that the database lacks, in order. */
  pending: string[]
  /** Those after which code that ends at the database's last migration must not go on. */
  breaking: string[]
  connected: Connected[]
}

/** Looks, and changes nothing. Throws ConfigError for an empty database, and for one that this code must not touch. */
export async function planUpgrade(
  sql: Queryable,
  migrations: readonly Migration[] = readMigrations(),
): Promise<UpgradePlan> {
  const applied = await checkSchema(sql, migrations)
  if (applied.size === 0)
    throw new ConfigError('the database is empty: the first start of a server makes its tables')
  const pending = migrations.filter(({ name }) => !applied.has(name))
  return {
    pending: pending.map(({ name }) => name),
    breaking: breakingOf(pending, applied),
    connected: await listConnected(sql),
  }
}
