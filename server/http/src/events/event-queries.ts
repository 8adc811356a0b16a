import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

/** Position of an event in the stream. The ids are strings, because they can exceed a safe integer. */
export interface Position {
  transactionId: string
  eventId: string
}

export interface LiveEvent extends Position {
  kind: string
  /** Null for public events. */
  profileId: string | null
  data: object
  occurredAt: Date
}

/**
 * Returns events after a position, in order. Stops at the oldest open transaction, which can still add
 * earlier events. Requires the primary, because a replica does not know open transactions.
 */
export function listEventsAfter(sql: Queryable, after: Position, rows: number): Promise<LiveEvent[]> {
  return sql<LiveEvent[]>`
    select transaction_id::text, event_id::text, kind, profile_id, data, occurred_at from live_events
    where (transaction_id, event_id) > (${after.transactionId}::text::xid8, ${after.eventId}::text::bigint)
      and transaction_id < settled_before()
    order by live_events.transaction_id, live_events.event_id limit ${rows}`
}

/** Returns the position after all visible events. */
export async function findLatestPosition(sql: Queryable): Promise<Position> {
  const [row] = await sql<Position[]>`
    select (settled_before()::text::numeric - 1)::text as transaction_id,
      '9223372036854775807' as event_id`
  return row!
}

/** Returns false if events after this position were deleted. */
export async function isKept(sql: Queryable, { transactionId }: Position): Promise<boolean> {
  const rows = await sql`
    select 1 from settings where name = 'events forgotten to' and value::xid8 > ${transactionId}::text::xid8`
  return rows.length === 0
}

/**
 * Deletes up to `most` events older than a day, and stores the last deleted position. Returns the number of
 * deleted events.
 */
export async function deleteOldEvents(sql: Queryable, now: Date, most: number): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    with gone as (
      delete from live_events where (transaction_id, event_id) in (
        select transaction_id, event_id from live_events where occurred_at < ${now}::timestamptz - interval '1 day'
        order by occurred_at limit ${limitOf(sql, most)})
      returning transaction_id
    ), kept as (
      insert into settings (name, value)
      select 'events forgotten to', max(transaction_id)::text from gone having count(*) > 0
      on conflict (name) do update set value = greatest(settings.value::xid8, excluded.value::xid8)::text
    )
    select count(*) as rows from gone`
  return row!.rows
}
