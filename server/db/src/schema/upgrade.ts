import type { Queryable } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { breakingOf, type Connected, listConnected } from './connected.ts'
import { checkSchema } from './migrate.ts'
import { type Migration, readMigrations } from './migrations.ts'

export interface UpgradePlan {
  pending: string[]
  /** Pending migrations that break older code. */
  breaking: string[]
  connected: Connected[]
}

/** Plans an upgrade without changing the database. Throws ConfigError for an empty or incompatible schema. */
export async function planUpgrade(
  sql: Queryable,
  migrations: readonly Migration[] = readMigrations(),
): Promise<UpgradePlan> {
  const applied = await checkSchema(sql, migrations)
  if (applied.size === 0) throw new ConfigError('the database is empty: start a server to create its tables')
  const pending = migrations.filter(({ name }) => !applied.has(name))
  return {
    pending: pending.map(({ name }) => name),
    breaking: breakingOf(pending, applied),
    connected: await listConnected(sql),
  }
}
