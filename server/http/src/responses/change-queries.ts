import type { Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * An empty round trip, of no statement: a `select` would be planned and run. By the simple protocol, it ends only once the connection is
 * ready again, behind all announcements.
 */
export const roundTrip = (sql: Queryable) => sql.unsafe('')

/**
 * The same, with the position of the log up to which it is on the disk, in bytes: behind every change that a reader could see when the
 * round trip began.
 */
export async function roundTripWithPosition(sql: Queryable): Promise<number> {
  const [row] = await sql.unsafe(
    "select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as position",
  )
  return (row as { position: number }).position
}

/** Subscribes the connection to a channel. */
export const listen = (sql: Queryable, channel: string) => sql.unsafe(`listen ${channel}`)
