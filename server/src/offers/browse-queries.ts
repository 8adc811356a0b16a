import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { limitOf, type Queryable } from '../db/connect.ts'
import { type OfferView, shownColumns } from './queries.ts'
import type { OfferEventType } from './states.ts'

/** Scripts as the rows of `s (script)`. */
const scriptsAs = (sql: Queryable, scripts: readonly Uint8Array[]) => sql`
  (select decode(hex, 'hex') from unnest(${scripts.map(bytesToHex)}::text[]) as each (hex)) as s (script)`

/** Only its two sides see a counter. */
const visible = (sql: Queryable, scripts: readonly Uint8Array[]) => sql`
  (o.kind = 'buyer_offer' or o.buyer_script in ${sql(scripts as Uint8Array[])}
    or o.seller_script in ${sql(scripts as Uint8Array[])})`

/** Active offers on an inscription that the owners of these scripts may see, best price first (index offers_live). */
export function listLiveOn(
  sql: Queryable,
  inscriptionId: string,
  scripts: readonly Uint8Array[],
  now: Date,
): Promise<OfferView[]> {
  return sql<OfferView[]>`
    select ${shownColumns(sql)} from offers o
    where o.inscription_id = ${inscriptionId} and o.state = 'active' and o.expires_at > ${now} and ${visible(sql, scripts)}
    order by o.price_sats desc, o.created_at, o.offer_id`
}

/** A page of all offers that an inscription ever had, newest first (index offers_history). */
export function listHistoryOf(
  sql: Queryable,
  inscriptionId: string,
  scripts: readonly Uint8Array[],
  page: { offset: number; rows: number },
): Promise<OfferView[]> {
  return sql<OfferView[]>`
    select ${shownColumns(sql)} from offers o
    where o.inscription_id = ${inscriptionId} and ${visible(sql, scripts)}
    order by o.created_at desc, o.offer_id desc offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

/** Facts that the lists of a profile show beside an offer. */
interface ItemRow {
  inscriptionNumber: number | null
  contentType: string | null
  itemName: string | null
  collectionName: string | null
  collectionSlug: string | null
  collectionVerified: boolean
}

export type ProfileRow = OfferView & ItemRow & { createdAtText: string; sellerBinding: string | null }

const itemColumns = (sql: Queryable) => sql`
  i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, m.item_name, c.name as collection_name,
  c.slug as collection_slug, coalesce(c.verification_status = 'verified', false) as collection_verified`

const itemJoins = (sql: Queryable) => sql`
  left join inscriptions i on i.inscription_id = o.inscription_id
  left join inscriptions d on d.inscription_id = i.delegate_id
  left join collections c on c.collection_id = o.collection_id
  left join collection_items m on m.collection_id = o.collection_id and m.inscription_id = o.inscription_id`

export interface Counts {
  receivedCount: number
  ownedCount: number
  sentCount: number
  countersCount: number
}

/** Counts for these wallets: offers received, inscriptions with offers, offers sent, counters received. */
export async function countFor(sql: Queryable, scripts: readonly Uint8Array[], now: Date): Promise<Counts> {
  const of = sql(scripts as Uint8Array[])
  const [row] = await sql<Counts[]>`
    select received.*, sent.* from (
      select count(*) filter (where kind = 'buyer_offer') as received_count, count(distinct inscription_id) as owned_count
      from offers where seller_script in ${of} and state = 'active' and expires_at > ${now}) received, (
      select count(*) as sent_count, count(*) filter (where kind = 'seller_counter') as counters_count
      from offers where buyer_script in ${of} and state = 'active' and expires_at > ${now}) sent`
  return row!
}

/** A page of inscriptions with live offers, the newest offer first, and the end of the page. */
export function listOwnedGroups(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { now: Date; after: { newest: string; inscriptionId: string } | null; rows: number },
): Promise<{ inscriptionId: string; newestText: string }[]> {
  const { now, after, rows } = page
  return sql<{ inscriptionId: string; newestText: string }[]>`
    select inscription_id, max(created_at)::text as newest_text from offers
    where seller_script in ${sql(scripts as Uint8Array[])} and state = 'active' and expires_at > ${now}
    group by inscription_id
    ${
      after === null
        ? sql``
        : sql`having (max(created_at), inscription_id) < (${after.newest}::text::timestamptz, ${after.inscriptionId})`
    }
    order by max(created_at) desc, inscription_id desc limit ${limitOf(sql, rows)}`
}

/** Live offers on these inscriptions with the facts shown beside them, best price first. */
export function listReceived(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  inscriptionIds: readonly string[],
  now: Date,
): Promise<ProfileRow[]> {
  return sql<ProfileRow[]>`
    select ${shownColumns(sql)}, ${itemColumns(sql)}, o.created_at::text as created_at_text, b.wallet_binding_id as seller_binding
    from offers o ${itemJoins(sql)} left join lateral (
      select wallet_binding_id from wallet_bindings where ordinals_script = o.seller_script
      order by signed_in_at desc, wallet_binding_id limit 1) b on true
    where o.seller_script in ${sql(scripts as Uint8Array[])} and o.inscription_id = any(${inscriptionIds as string[]}::text[])
      and o.state = 'active' and o.expires_at > ${now}
    order by o.price_sats desc, o.created_at, o.offer_id`
}

/** A page of live offers that these wallets sent, and of counters on them, newest first (index offers_sent). */
export function listSent(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { now: Date; after: { createdAt: string; offerId: string } | null; rows: number },
): Promise<ProfileRow[]> {
  const { now, after, rows } = page
  return sql<ProfileRow[]>`
    select ${shownColumns(sql)}, ${itemColumns(sql)}, o.created_at::text as created_at_text, null as seller_binding
    from (
      select mine.* from ${scriptsAs(sql, scripts)}, lateral (
        select ${shownColumns(sql)} from offers o where o.buyer_script = s.script and o.state = 'active' and o.expires_at > ${now}
          ${
            after === null
              ? sql``
              : sql`and (o.created_at, o.offer_id) < (${after.createdAt}::text::timestamptz, ${after.offerId}::uuid)`
          }
        order by o.created_at desc, o.offer_id desc limit ${limitOf(sql, rows)}) mine
      order by mine.created_at desc, mine.offer_id desc limit ${limitOf(sql, rows)}) o
    ${itemJoins(sql)}
    order by o.created_at desc, o.offer_id desc`
}

export type EventRow = ProfileRow & {
  eventId: number
  eventType: OfferEventType
  role: 'buyer' | 'seller'
  occurredAt: Date
  occurredAtText: string
}

/** A page of events of these wallets' offers, newest first (indexes offer_events_buyer, offer_events_seller). */
export function listEvents(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { after: { occurredAt: string; eventId: number } | null; rows: number },
): Promise<EventRow[]> {
  const { after, rows } = page
  const side = (role: 'buyer' | 'seller', column: ReturnType<typeof sql>) => sql`
    select mine.*, ${role} as role from ${scriptsAs(sql, scripts)}, lateral (
      select event_id, offer_id, event_type, occurred_at from offer_events e where e.${column} = s.script
        ${
          after === null
            ? sql``
            : sql`and (e.occurred_at, e.event_id) < (${after.occurredAt}::text::timestamptz, ${after.eventId})`
        }
      order by e.occurred_at desc, e.event_id desc limit ${limitOf(sql, rows)}) mine`
  return sql<EventRow[]>`
    select ${shownColumns(sql)}, ${itemColumns(sql)}, o.created_at::text as created_at_text, null as seller_binding,
      e.event_id, e.event_type, e.role, e.occurred_at, e.occurred_at::text as occurred_at_text
    from (
      select * from (${side('buyer', sql`buyer_script`)} union all ${side('seller', sql`seller_script`)}) both_sides
      order by occurred_at desc, event_id desc limit ${limitOf(sql, rows)}) e
    join offers o using (offer_id) ${itemJoins(sql)}
    order by e.occurred_at desc, e.event_id desc`
}
