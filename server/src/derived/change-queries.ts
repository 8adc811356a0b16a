import type { Queryable } from '../db/connect.ts'

/** Waits for the database. By the simple protocol: it answers only when the connection is ready again, behind what was announced. */
export const roundTrip = (sql: Queryable) => sql.unsafe('select')

/** Subscribes the connection to a channel. */
export const listen = (sql: Queryable, channel: string) => sql.unsafe(`listen ${channel}`)
