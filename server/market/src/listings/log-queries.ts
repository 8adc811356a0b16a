import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { ListingState } from './states.ts'

/** Protection of an ended listing against a later sale. The signer refuses it, its anchor is spent in the mempool, or it cannot confirm. */
export type Guarantee = 'refused' | 'anchor-spent' | 'impossible'

export interface OrderEvent {
  listingId: string
  fromState: ListingState | null
  toState: ListingState
  reason: string
  guarantee: Guarantee | null
  height: number | null
  occurredAt: Date
}

/** Inserts events in order, at most one per listing. */
export async function insertOrderEvents(
  tx: Transaction,
  events: readonly (OrderEvent & { undoes?: number })[],
): Promise<void> {
  if (events.length === 0) return
  const column = (of: (event: OrderEvent & { undoes?: number }) => unknown) => events.map(of) as string[]
  await tx`
    insert into order_events (listing_id, from_state, to_state, reason, guarantee, height, occurred_at, undoes)
    select listing_id, from_state, to_state, reason, guarantee, height, occurred_at, undoes
    from unnest(${column((event) => event.listingId)}::uuid[], ${column((event) => event.fromState)}::text[],
      ${column((event) => event.toState)}::text[], ${column((event) => event.reason)}::text[],
      ${column((event) => event.guarantee)}::text[], ${column((event) => event.height)}::int[],
      ${column((event) => event.occurredAt.toISOString())}::timestamptz[], ${column((event) => event.undoes ?? null)}::bigint[])
      with ordinality as e (listing_id, from_state, to_state, reason, guarantee, height, occurred_at, undoes, n)
    order by n`
}

export interface UndoneEvent extends OrderEvent {
  eventId: number
  inscriptionId: string
  /** Null if the index does not have the inscription. */
  satId: number | null
  fromState: ListingState
}

/** Returns a block's events, latest first. Omits events that were undone or that recheck.ts recomputes. */
export function listEventsAt(tx: Transaction, height: number): Promise<UndoneEvent[]> {
  return tx<UndoneEvent[]>`
    select e.event_id, e.listing_id, l.inscription_id, i.sat_id, e.from_state, e.to_state, e.reason, e.guarantee, e.height,
      e.occurred_at
    from order_events e join listings l using (listing_id) left join inscription_rows i using (inscription_id)
    where e.height = ${height} and (e.to_state = 'sold' or e.from_state = e.to_state)
      and not exists (select 1 from order_events u where u.undoes = e.event_id)
    order by e.event_id desc`
}

export function listOrderEvents(sql: Queryable, listingId: string): Promise<OrderEvent[]> {
  return sql<OrderEvent[]>`
    select listing_id, from_state, to_state, reason, guarantee, height, occurred_at
    from order_events where listing_id = ${listingId} order by event_id`
}

/** Returns listings whose state does not follow from their log. A result is a bug. */
export function listUnexplained(
  sql: Queryable,
): Promise<{ listingId: string; state: ListingState; replayed: ListingState | null; broken: boolean }[]> {
  return sql<{ listingId: string; state: ListingState; replayed: ListingState | null; broken: boolean }[]>`
    with steps as (
      select listing_id, event_id, to_state, from_state is distinct from
        lag(to_state) over (partition by listing_id order by event_id) as broken
      from order_events),
    replayed as (
      select distinct on (listing_id) listing_id, to_state, bool_or(broken) over (partition by listing_id) as broken
      from steps order by listing_id, event_id desc)
    select l.listing_id, l.state, r.to_state as replayed, coalesce(r.broken, true) as broken
    from listings l left join replayed r using (listing_id)
    where l.state is distinct from r.to_state or r.broken`
}

export function listUnnotedVoids(
  sql: Queryable,
): Promise<{ listingId: string; state: ListingState; voidTxid: string }[]> {
  return sql<{ listingId: string; state: ListingState; voidTxid: string }[]>`
    select l.listing_id, l.state, c.spending_txid as void_txid
    from market_coins c join listings l on l.anchor_utxo_id = c.reserved_for
    where c.state = 'spending' and c.retired and l.transfer_height is null
      and l.state in ('cancelled', 'expired', 'invalidated', 'replaced')
      and not exists (select 1 from order_events e
        where e.listing_id = l.listing_id and e.guarantee = 'anchor-spent')
    order by l.listing_id`
}

export function listMadeImpossible(
  tx: Transaction,
  height: number,
): Promise<{ listingId: string; state: ListingState }[]> {
  return tx<{ listingId: string; state: ListingState }[]>`
    select l.listing_id, l.state from market_coins c join listings l on l.anchor_utxo_id = c.reserved_for
    where c.spent_height = ${height} and c.retired and l.transfer_height is null
      and l.state in ('cancelled', 'expired', 'invalidated', 'replaced')
    order by l.listing_id`
}
