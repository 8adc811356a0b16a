import type { Queryable } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'
import { type Migration, numberOf } from './migrations.ts'

/** Processes of a market that are connected to its database. */
export interface Connected {
  /** Null: by a socket of the same machine. */
  address: string | null
  connections: number
}

/** Commands of an operator are none of them. */
export function listConnected(sql: Queryable): Promise<Connected[]> {
  return sql<Connected[]>`
    select host(client_addr) as address, count(*)::int as connections
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name ~ '^ordbook (requests|reads|changes|follower|jobs|.* lease)'
    group by client_addr order by client_addr nulls first`
}

/** The migrations after which code that ends at the database's last one must not go on. A database without any has no such code. */
export function breakingOf(pending: readonly Migration[], applied: ReadonlySet<string>): string[] {
  const last = [...applied].map(numberOf).sort().at(-1)
  return last === undefined
    ? []
    : pending.filter(({ oldestCode }) => oldestCode > last).map(({ name }) => name)
}

/** Throws ConfigError where older processes are connected that must not go on beside the new schema. */
export function assertAlone(breaking: readonly string[], connected: readonly Connected[]): void {
  if (breaking.length > 0 && connected.length > 0)
    throw new ConfigError(
      `DATABASE_URL: older code must not go on after ${breaking.join(', ')}, and processes of the market are connected (${connected.map(describe).join('; ')}). Stop them all, and begin again; nothing was changed`,
    )
}

/** Words for processes that are connected. */
export const describe = ({ address, connections }: Connected): string =>
  `${connections} ${connections === 1 ? 'connection' : 'connections'} from ${address ?? 'this machine'}`
