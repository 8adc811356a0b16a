import type { Queryable } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { type Migration, numberOf } from './migrations.ts'

export interface Connected {
  /** Null for a local socket. */
  address: string | null
  connections: number
}

/** Returns connected market processes, without operator commands. */
export function listConnected(sql: Queryable): Promise<Connected[]> {
  return sql<Connected[]>`
    select host(client_addr) as address, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name ~ '^ordbook (requests|reads|changes|follower|jobs|.* lease)'
    group by client_addr order by client_addr nulls first`
}

/** Returns pending migrations that break code up to the last applied migration. Empty for an empty database. */
export function breakingOf(pending: readonly Migration[], applied: ReadonlySet<string>): string[] {
  const last = [...applied].map(numberOf).sort().at(-1)
  return last === undefined
    ? []
    : pending.filter(({ oldestCode }) => oldestCode > last).map(({ name }) => name)
}

/** Throws ConfigError if breaking migrations are pending while processes are connected. */
export function assertAlone(breaking: readonly string[], connected: readonly Connected[]): void {
  if (breaking.length > 0 && connected.length > 0)
    throw new ConfigError(
      `DATABASE_URL: ${breaking.join(', ')} is incompatible with older code, and processes of the market are connected (${connected.map(describe).join('; ')}). Nothing was changed. Stop all processes, then retry.`,
    )
}

export const describe = ({ address, connections }: Connected): string =>
  `${connections} ${connections === 1 ? 'connection' : 'connections'} from ${address ?? 'this machine'}`
