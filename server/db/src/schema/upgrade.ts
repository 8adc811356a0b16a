import type { Queryable } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { breakingOf, type Connected, listConnected } from './connected.ts'
import { checkSchema } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'

/** What an upgrade will change in a database. */
export interface UpgradePlan {
  /** Migrations that the database lacks, in order. */
  pending: string[]
  /** Pending migrations that are incompatible with code up to the database's last migration. */
  breaking: string[]
  connected: Connected[]
}

/** Plans an upgrade without changing anything. Throws ConfigError for an empty database, and for a schema that this code must not touch. */
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
