import { ConfigError } from '../config.ts'
import type { Queryable } from './connect.ts'
import { checkSchema, migrateIn } from './migrate.ts'
import { type Migration, numberOf, readMigrations } from './migrations.ts'

/** Processes of a market that are connected to its database. */
export interface Connected {
  /** Null: by a socket of the same machine. */
  address: string | null
  connections: number
}

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
  const last = [...applied].map(numberOf).sort().at(-1)!
  const pending = migrations.filter(({ name }) => !applied.has(name))
  return {
    pending: pending.map(({ name }) => name),
    breaking: pending.filter(({ oldestCode }) => oldestCode > last).map(({ name }) => name),
    connected: await listConnected(sql),
  }
}

/** Throws ConfigError where processes of before are connected that must not go on beside the new schema. */
export function assertAlone({ breaking, connected }: UpgradePlan): void {
  if (breaking.length > 0 && connected.length > 0)
    throw new ConfigError(
      `${breaking.join(', ')}: code of before must not go on after it, and processes of the market are connected (${connected.map(describe).join('; ')}). Stop them all, and run the upgrade again`,
    )
}

/** Applies the plan of this moment in the caller's transaction. Throws ConfigError as `assertAlone` does. */
export async function applyUpgrade(
  tx: Queryable,
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  assertAlone(await planUpgrade(tx, migrations))
  return migrateIn(tx, migrations)
}

/** Words for processes that are connected. */
export const describe = ({ address, connections }: Connected): string =>
  `${connections} ${connections === 1 ? 'connection' : 'connections'} from ${address ?? 'this machine'}`

/** Commands of an operator are none of them. */
function listConnected(sql: Queryable): Promise<Connected[]> {
  return sql<Connected[]>`
    select host(client_addr) as address, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name ~ '^ordbook (requests|reads|changes|follower|jobs|.* lease)'
    group by client_addr order by client_addr nulls first`
}
