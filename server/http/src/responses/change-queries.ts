import type { Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * An empty round trip, cheaper than a `select`, which would be planned and run. With the simple protocol it ends once the connection is
 * ready again, after all pending notifications.
 */
export const roundTrip = (sql: Queryable) => sql.unsafe('')

/** A round trip that also returns the flushed WAL position in bytes: after every change that a reader could see when it started. */
export async function roundTripWithPosition(sql: Queryable): Promise<number> {
  const [row] = await sql.unsafe(
    "select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as position",
  )
  return (row as { position: number }).position
}

export const listen = (sql: Queryable, channel: string) => sql.unsafe(`listen ${channel}`)
