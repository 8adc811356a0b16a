import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Runs an empty query, which is cheaper than a `select`. It returns after all pending notifications. */
export const roundTrip = (sql: Queryable) => sql.unsafe('')

/** Like `roundTrip`, but returns the flushed WAL position in bytes. */
export async function roundTripWithPosition(sql: Queryable): Promise<number> {
  const [row] = await sql.unsafe(
    "select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as position",
  )
  return (row as { position: number }).position
}

export const listen = (sql: Queryable, channel: string) => sql.unsafe(`listen ${channel}`)
