import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { OfferRow } from './queries.ts'
import { lineColumns, type OfferLine } from './rendered-queries.ts'
import type { OfferEventType } from './states.ts'

const scriptsAs = (sql: Queryable, scripts: readonly Uint8Array[]) => sql`
  (select distinct decode(hex, 'hex') from unnest(${scripts.map(bytesToHex)}::text[]) as each (hex)) as s (script)`

const scriptsOf = (sql: Queryable, profileId: string) => sql`
  (select ordinals_script from wallet_bindings where profile_id = ${profileId})`

/** Counter-offers are visible only to buyer and seller. */
const isVisible = (sql: Queryable, profileId: string) => sql`
  (o.kind = 'buyer_offer' or o.buyer_script in ${scriptsOf(sql, profileId)} or o.seller_script in ${scriptsOf(sql, profileId)})`

export type InscriptionLine = OfferLine &
  Pick<OfferRow, 'parentOfferId' | 'priceSats' | 'endedAt' | 'settlementTxid'>

const inscriptionColumns = (sql: Queryable) => sql`
  ${lineColumns(sql)}, o.parent_offer_id, o.price_sats, o.ended_at, o.settlement_txid`

/** Without offers, one row with null columns except the owner. */
type Found = { ownerScript: Uint8Array | null } & {
  [Column in keyof InscriptionLine]: InscriptionLine[Column] | null
}

interface OffersOn {
  ownerScript: Uint8Array | null
  lines: InscriptionLine[]
}

const offersOn = ([first, ...others]: readonly Found[]): OffersOn | null => {
  if (!first) return null
  const lines = [first, ...others].filter((each) => each.offerId !== null) as InscriptionLine[]
  return { ownerScript: first.ownerScript, lines }
}

/** Returns an inscription's owner and the active offers visible to a profile, best price first (index offers_live). */
export async function findLiveOn(
  sql: Queryable,
  inscriptionId: string,
  profileId: string,
  now: Date,
): Promise<OffersOn | null> {
  return offersOn(
    await sql<Found[]>`
    select i.owner_script, ${inscriptionColumns(sql)} from inscriptions i left join lateral (
      select * from offers o
      where o.inscription_id = i.inscription_id and o.state = 'active' and o.expires_at > ${now} and ${isVisible(sql, profileId)}
    ) o on true
    where i.inscription_id = ${inscriptionId}
    order by o.price_sats desc, o.created_at, o.offer_id`,
  )
}

/** Like `findLiveOn`, for a page of offers in any state (index offers_history). */
export async function findHistoryOf(
  sql: Queryable,
  inscriptionId: string,
  profileId: string,
  page: { offset: number; rows: number },
): Promise<OffersOn | null> {
  return offersOn(
    await sql<Found[]>`
    select i.owner_script, ${inscriptionColumns(sql)} from inscriptions i left join lateral (
      select * from offers o
      where o.inscription_id = i.inscription_id and ${isVisible(sql, profileId)}
      order by o.created_at desc, o.offer_id desc offset ${page.offset} limit ${limitOf(sql, page.rows)}
    ) o on true
    where i.inscription_id = ${inscriptionId}
    order by o.created_at desc, o.offer_id desc`,
  )
}

export interface Own {
  scripts: Uint8Array[]
  /** In the order of `scripts`. */
  bindingIds: string[]
  receivedCount: number
  ownedCount: number
  sentCount: number
  countersCount: number
  /** First expiry of these offers. */
  nextExpiryAt: Date | null
}

export async function findOwn(sql: Queryable, profileId: string, now: Date): Promise<Own> {
  const wallets = sql`
    from wallet_bindings where profile_id = ${profileId} order by signed_in_at desc, wallet_binding_id`
  const [row] = await sql<Own[]>`
    select array(select ordinals_script ${wallets}) as scripts, array(select wallet_binding_id ${wallets}) as binding_ids,
      received_count, owned_count, sent_count, counters_count, least(received.next_expiry_at, sent.next_expiry_at) as next_expiry_at
    from (
      select min(expires_at) as next_expiry_at, count(*) filter (where kind = 'buyer_offer') as received_count, count(distinct inscription_id) as owned_count
      from offers where seller_script in ${scriptsOf(sql, profileId)} and state = 'active' and expires_at > ${now}) received, (
      select min(expires_at) as next_expiry_at, count(*) as sent_count, count(*) filter (where kind = 'seller_counter') as counters_count
      from offers where buyer_script in ${scriptsOf(sql, profileId)} and state = 'active' and expires_at > ${now}) sent`
  return row!
}

/** A received offer or sent counter-offer. `latest` values are of the newest one on the inscription. */
export type ReceivedLine = OfferLine &
  Pick<OfferRow, 'inscriptionId' | 'priceSats' | 'sellerScript'> & { newestText: string }

/** Returns active offers on a page of inscriptions. Inscriptions are sorted by newest offer, offers by price. */
export function listReceived(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { now: Date; after: { newest: string; inscriptionId: string } | null; rows: number },
): Promise<ReceivedLine[]> {
  const { now, after, rows } = page
  const received = sql`
    o.seller_script in ${sql(scripts as Uint8Array[])} and o.state = 'active' and o.expires_at > ${now}`
  return sql<ReceivedLine[]>`
    select ${lineColumns(sql)}, o.inscription_id, o.price_sats, o.seller_script, page.newest::text as newest_text
    from (
      select o.inscription_id, max(o.created_at) as newest from offers o where ${received}
      group by o.inscription_id
      ${
        after === null
          ? sql``
          : sql`having (max(o.created_at), o.inscription_id) < (${after.newest}::text::timestamptz, ${after.inscriptionId})`
      }
      order by newest desc, o.inscription_id desc limit ${limitOf(sql, rows)}) page
    join offers o on o.inscription_id = page.inscription_id and ${received}
    order by page.newest desc, page.inscription_id desc, o.price_sats desc, o.created_at, o.offer_id`
}

export type SentLine = OfferLine & Pick<OfferRow, 'buyerBindingId'> & { createdAtText: string }

/** Returns a page of active offers that these wallets sent, newest first (index offers_sent). */
export function listSent(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { now: Date; after: { createdAt: string; offerId: string } | null; rows: number },
): Promise<SentLine[]> {
  const { now, after, rows } = page
  return sql<SentLine[]>`
    select ${lineColumns(sql)}, o.buyer_binding_id, o.created_at::text as created_at_text
    from ${scriptsAs(sql, scripts)}, lateral (
      select * from offers o where o.buyer_script = s.script and o.state = 'active' and o.expires_at > ${now}
        ${
          after === null
            ? sql``
            : sql`and (o.created_at, o.offer_id) < (${after.createdAt}::text::timestamptz, ${after.offerId}::uuid)`
        }
      order by o.created_at desc, o.offer_id desc limit ${limitOf(sql, rows)}) o
    order by o.created_at desc, o.offer_id desc limit ${limitOf(sql, rows)}`
}

export type EventLine = OfferLine &
  Pick<OfferRow, 'parentOfferId' | 'settlementTxid' | 'payoutTxid'> & {
    eventId: number
    eventType: OfferEventType
    role: 'buyer' | 'seller'
    occurredAt: Date
    occurredAtText: string
  }

/** Returns a page of offer events, newest first (indexes offer_events_buyer, offer_events_seller). */
export function listEvents(
  sql: Queryable,
  scripts: readonly Uint8Array[],
  page: { after: { occurredAt: string; eventId: number } | null; rows: number },
): Promise<EventLine[]> {
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
  return sql<EventLine[]>`
    select ${lineColumns(sql)}, o.parent_offer_id, o.settlement_txid, o.payout_txid, e.event_id, e.event_type, e.role,
      e.occurred_at, e.occurred_at::text as occurred_at_text
    from (
      select * from (${side('buyer', sql`buyer_script`)} union all ${side('seller', sql`seller_script`)}) both_sides
      order by occurred_at desc, event_id desc limit ${limitOf(sql, rows)}) e
    join offers o using (offer_id)
    order by e.occurred_at desc, e.event_id desc`
}
