import type { Queryable } from '../db/connect.ts'

/** A place in the stream: the transaction that wrote an event, and the event. Both may be larger than a safe integer. */
export interface Place {
  transactionId: string
  eventId: string
}

export interface LiveEvent extends Place {
  kind: string
  data: object
  occurredAt: Date
}

/**
 * Events after a place, in order; of transactions alone that are older than every one of this database still open, so that
 * none can come before them any more (key of live_events).
 */
export function listEventsAfter(sql: Queryable, after: Place, rows: number): Promise<LiveEvent[]> {
  return sql<LiveEvent[]>`
    select transaction_id::text, event_id::text, kind, data, occurred_at from live_events
    where (transaction_id, event_id) > (${after.transactionId}::text::xid8, ${after.eventId}::text::bigint)
      and transaction_id < settled_before()
    order by live_events.transaction_id, live_events.event_id limit ${rows}`
}

/** The place behind everything that is settled now. */
export async function findLatestPlace(sql: Queryable): Promise<Place> {
  const [row] = await sql<Place[]>`
    select (settled_before()::text::numeric - 1)::text as transaction_id,
      '9223372036854775807' as event_id`
  return row!
}

/** False where something after a place is forgotten already. */
export async function isKept(sql: Queryable, { transactionId }: Place): Promise<boolean> {
  const rows = await sql`
    select 1 from settings where name = 'events forgotten to' and value::xid8 > ${transactionId}::text::xid8`
  return rows.length === 0
}

/** Forgets what is older than a day, and keeps to where that goes. */
export async function deleteOldEvents(sql: Queryable, now: Date): Promise<void> {
  await sql`
    with gone as (
      delete from live_events where occurred_at < ${now}::timestamptz - interval '1 day' returning transaction_id
    )
    insert into settings (name, value)
    select 'events forgotten to', max(transaction_id)::text from gone having count(*) > 0
    on conflict (name) do update set value = excluded.value`
}
