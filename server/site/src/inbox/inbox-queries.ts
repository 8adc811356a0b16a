import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { ListingState } from '@ordbook/market/listings/states.ts'

/** The item of a row, null if the row has none. */
export interface ItemOfRow {
  inscriptionId: string | null
  inscriptionNumber: number | null
  contentType: string | null
  itemName: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  collectionSlug: string | null
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  collectionFloorSats: number | null
}

/** Joins the item of rows `e`. An item of several collections has the collection of its order. */
const itemOf = (sql: Queryable) => sql`
  left join inscriptions i on i.inscription_id = e.inscription_id
  left join inscriptions d on d.inscription_id = i.delegate_id
  left join lateral (
    select m.item_name, c.image_rendering_hint, c.slug as collection_slug, c.name as collection_name,
      c.verification_status, f.floor_sats as collection_floor_sats
    from collections c join collection_floors f using (collection_id)
      left join collection_items m on m.collection_id = c.collection_id and m.inscription_id = e.inscription_id
    where c.collection_id = coalesce(e.collection_id,
      (select n.collection_id from collection_items n where n.inscription_id = e.inscription_id order by n.collection_id limit 1))) m on true`

const itemColumns = (sql: Queryable) => sql`
  e.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, m.*`

export interface InboxRow extends ItemOfRow {
  inboxId: number
  kind:
    | 'offer'
    | 'counter'
    | 'acceptance'
    | 'escrow'
    | 'settling'
    | 'sold'
    | 'delivered'
    | 'listing_ended'
    | 'outbid'
    | 'expiring'
    | 'sign_in'
  subject: string
  at: Date
  isRead: boolean
  proposalId: string | null
  priceSats: number | null
  expiresAt: Date | null
  /** Null if the event is not about a listing. */
  listingState: ListingState | null
  isHeld: boolean
  /** For the cursor, with all digits. */
  atText: string
}

/** Lists a profile's events, newest first (index inbox_latest). A block is older than events that were written before it. */
export function listInboxRows(
  sql: Queryable,
  page: { profileId: string; before: { at: string; inboxId: number } | null; rows: number },
): Promise<InboxRow[]> {
  const { profileId, before, rows } = page
  return sql<InboxRow[]>`
    select e.inbox_id, e.kind, e.subject, e.at, e.at::text as at_text, e.is_read, e.proposal_id, e.price_sats, e.expires_at,
      l.state as listing_state, coalesce(i.owner_script = l.seller_script or exists (select from escrows c
        where c.txid = i.txid and c.vout = i.vout and c.seller_script = l.seller_script), false) as is_held, ${itemColumns(sql)}
    from (select * from inbox where profile_id = ${profileId} and not undone
        ${before === null ? sql`` : sql`and (at, inbox_id) < (${before.at}::text::timestamptz, ${before.inboxId})`}
      order by at desc, inbox_id desc limit ${limitOf(sql, rows)}) e ${itemOf(sql)}
      left join listings l on l.listing_id = case when e.kind in ('listing_ended', 'expiring') then e.subject::uuid end
    order by e.at desc, e.inbox_id desc`
}

export interface InboxCounts {
  unreadCount: number
  unreadTradeCount: number
  latestId: number | null
}

/** Counts a profile's unread events (index inbox_unread). */
export async function countInbox(sql: Queryable, profileId: string): Promise<InboxCounts> {
  const [row] = await sql<InboxCounts[]>`
    select count(*)::int as unread_count, (count(*) filter (where proposal_id is not null))::int as unread_trade_count,
      (select inbox_id from inbox where profile_id = ${profileId} and not undone order by inbox_id desc limit 1) as latest_id
    from inbox where profile_id = ${profileId} and not is_read and not undone`
  return row!
}

/** Marks an event as read, and all earlier ones unless `only`. */
export async function setRead(
  sql: Queryable,
  { profileId, inboxId, only }: { profileId: string; inboxId: number; only: boolean },
): Promise<void> {
  await sql`
    update inbox set is_read = true
    where profile_id = ${profileId} and not is_read and not undone and inbox_id <= ${inboxId} and (not ${only} or inbox_id = ${inboxId})`
}

export interface WaitingRow extends ItemOfRow {
  kind: 'offer' | 'counter' | 'acceptance' | 'escrow'
  orderId: string
  at: Date
  expiresAt: Date | null
  proposalId: string | null
  priceSats: number | null
  offeredSats: number | null
  otherCount: number
  total: number
}

/** Lists what waits for owners, soonest deadline first. `total` counts all rows. */
export function listWaitingRows(
  sql: Queryable,
  { scripts, now, rows }: { scripts: readonly Uint8Array[]; now: Date; rows: number },
): Promise<WaitingRow[]> {
  const mine = sql`any(${scripts as Uint8Array[]}::bytea[])`
  return sql<WaitingRow[]>`
    select e.kind, e.order_id, e.at, e.expires_at, e.proposal_id, e.price_sats, e.offered_sats, e.other_count, e.total,
      ${itemColumns(sql)}
    from (select w.*, (count(*) over ())::int as total from (
        select * from (
          select distinct on (o.inscription_id) 'offer'::text as kind, o.offer_id::text as order_id, o.created_at as at, o.expires_at,
            o.inscription_id, o.collection_id, null::uuid as proposal_id, o.price_sats, null::bigint as offered_sats,
            (count(*) over (partition by o.inscription_id))::int - 1 as other_count
          from offers o where o.seller_script = ${mine} and o.kind = 'buyer_offer' and o.state = 'active' and o.expires_at > ${now}
            and not exists (select from offers c where c.parent_offer_id = o.offer_id and c.state in ('active', 'accepting'))
          order by o.inscription_id, o.price_sats desc, o.created_at, o.offer_id) best
        union all
        select 'counter', o.offer_id::text, o.created_at, o.expires_at, o.inscription_id, o.collection_id, null, o.price_sats,
          p.price_sats, 0
        from offers o join offers p on p.offer_id = o.parent_offer_id
        where o.buyer_script = ${mine} and o.kind = 'seller_counter' and o.state = 'active' and o.expires_at > ${now}
        union all
        select 'acceptance', a.acceptance_id::text, a.created_at, least(a.expires_at, p.expires_at), a.items -> 0 ->> 'inscriptionId', null,
          a.proposal_id, null, null, 0
        from acceptances a join proposals p using (proposal_id)
        where p.creator_script = ${mine} and a.state = 'active' and p.state = 'active' and a.expires_at > ${now}
        union all
        select 'escrow', c.txid || ':' || c.vout, c.created_at, null, c.inscription_id, c.collection_id, null, null, null, 0
        from escrows c join inscriptions h on h.inscription_id = c.inscription_id and h.txid = c.txid and h.vout = c.vout
        where c.seller_script = ${mine} and c.made_height is not null
          and not exists (select from listings l where l.inscription_id = c.inscription_id
            and l.state in ('buyable', 'hidden_locked', 'pending_public'))
          and not exists (select from settlements s where s.state in ('intended', 'broadcast') and c.inscription_id = any(s.inscription_ids))
          and not exists (select from mempool_spends m where m.txid = c.txid and m.vout = c.vout)
          and not exists (select from market_transactions t where t.txid = c.leaving_txid and t.state = 'intended')) w
      order by w.expires_at, w.order_id limit ${limitOf(sql, rows)}) e ${itemOf(sql)}
    order by e.expires_at, e.order_id`
}
