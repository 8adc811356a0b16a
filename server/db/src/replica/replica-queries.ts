import type { Queryable } from '../driver/connect.ts'

export interface System {
  /** Cluster identifier, the same on all replicas. */
  systemId: string
  database: string
}

export async function findSystem(sql: Queryable): Promise<System> {
  const [row] = await sql<System[]>`
    select system_identifier::text as system_id, current_database() as database from pg_control_system()`
  return row!
}

export interface Place {
  /** False on a primary, including a promoted replica. */
  isReplica: boolean
  /** WAL position in bytes. */
  position: number
  /** Seconds since the last replayed commit; null if none was replayed. */
  ageSeconds: number | null
}

export async function findPlace(sql: Queryable): Promise<Place> {
  const [row] = await sql<Place[]>`
    select pg_is_in_recovery() as is_replica,
      pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end, '0/0')::bigint as position,
      extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age_seconds`
  return row!
}
