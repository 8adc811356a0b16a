import type { Queryable } from '../db/connect.ts'

/** An empty round trip. By the simple protocol, it ends only once the connection is ready again, behind all announcements. */
export const roundTrip = (sql: Queryable) => sql.unsafe('select')

/** Subscribes the connection to a channel. */
export const listen = (sql: Queryable, channel: string) => sql.unsafe(`listen ${channel}`)
