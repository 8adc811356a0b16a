import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface Facts {
  version: string
  isReplica: boolean
  bytes: number
  connections: number
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
}

export async function findFacts(sql: Queryable): Promise<Facts> {
  const [row] = await sql<Facts[]>`
    select current_setting('server_version') as version, pg_is_in_recovery() as is_replica,
      pg_database_size(current_database()) as bytes, current_setting('max_connections')::int as connections,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit`
  return row!
}

/** A streaming replica. `state` and `replayed` are null without the privileges of `pg_monitor`. */
export interface Replica {
  pid: number
  state: string | null
  /** WAL position in bytes. */
  replayed: number | null
}

export function listReplicas(sql: Queryable): Promise<Replica[]> {
  return sql<Replica[]>`
    select pid, state, pg_wal_lsn_diff(replay_lsn, '0/0')::bigint as replayed
    from pg_stat_get_wal_senders() order by pid`
}

/** Returns whether a replica's replay is paused. Throws on a primary. */
export async function isReplayPaused(replica: Queryable): Promise<boolean> {
  const [row] = await replica<{ isPaused: boolean }[]>`select pg_is_wal_replay_paused() as is_paused`
  return row!.isPaused
}
