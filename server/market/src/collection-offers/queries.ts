import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { OfferTarget } from '@ordbook/bitcoin/trade/criteria.ts'
import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { RenderedRow, Slice } from '@ordbook/http/responses/rendered-rows.ts'
import { saveRenderedRows } from '../rendered-rows/queries.ts'
import type { Taking } from '../settlements/bid-economics.ts'
import type { CollectionOfferState } from './states.ts'

export interface CollectionOfferRow extends Taking {
  offerId: string
  collectionId: string
  walletBindingId: string
  target: OfferTarget
  scopeLabel: string
  criteria: string
  criteriaHash: string
  eligibleRoot: string
  eligibleCount: number
  sampleInscriptionId: string
  priceSats: number
  terms: object
  signatures: object
  fundingTxid: string
  secretHash: string
  state: CollectionOfferState
  reason: string | null
  settlementId: string | null
  filledInscriptionId: string | null
  filledSatOffset: number | null
  sellerScript: Uint8Array | null
  createdAt: Date
  expiresAt: Date
  /** The guardian signs no fill of the offer after this time. */
  revokedAt: Date | null
  /** False if the network fee exceeds the seller's proceeds. */
  executable: boolean
}

const columns = (sql: Queryable) => sql`
  o.offer_id, o.collection_id, o.wallet_binding_id, o.target, o.scope_label, o.criteria, o.criteria_hash,
  o.eligible_root, o.eligible_count, o.sample_inscription_id, o.price_sats, o.funding_txid,
  o.secret_hash, o.state, o.reason, o.settlement_id, o.filled_inscription_id,
  o.filled_sat_offset, o.seller_script, o.created_at, o.expires_at, o.revoked_at, o.receive_sats, o.settlement_vsize,
  o.package_vsize, o.paid_sats, o.executable, o.terms, o.signatures`

export type NewCollectionOffer = Omit<
  CollectionOfferRow,
  | 'state'
  | 'reason'
  | 'settlementId'
  | 'filledInscriptionId'
  | 'filledSatOffset'
  | 'sellerScript'
  | 'revokedAt'
  | 'executable'
>

/** Stores an eligible set by its root. */
export async function insertEligibleSet(
  tx: Transaction,
  eligibleRoot: string,
  inscriptionIds: readonly string[],
): Promise<void> {
  await tx`
    insert into eligible_sets (eligible_root, inscription_ids)
    values (${eligibleRoot}, ${inscriptionIds as string[]}::text[]) on conflict do nothing`
}

/** Returns the inscription ids of an eligible set. */
export async function listEligibleOf(sql: Queryable, eligibleRoot: string): Promise<string[]> {
  const [row] = await sql<{ inscriptionIds: string[] }[]>`
    select inscription_ids from eligible_sets where eligible_root = ${eligibleRoot}`
  return row?.inscriptionIds ?? []
}

export async function insertCollectionOffer(tx: Transaction, row: NewCollectionOffer): Promise<void> {
  await tx`
    insert into collection_offers (offer_id, collection_id, wallet_binding_id, target, scope_label, criteria,
      criteria_hash, eligible_root, eligible_count, sample_inscription_id, price_sats, terms, signatures, funding_txid,
      secret_hash, state, created_at, expires_at, receive_sats, settlement_vsize, package_vsize, paid_sats)
    values (${row.offerId}, ${row.collectionId}, ${row.walletBindingId}, ${json(tx, row.target)}, ${row.scopeLabel},
      ${row.criteria}, ${row.criteriaHash}, ${row.eligibleRoot}, ${row.eligibleCount}, ${row.sampleInscriptionId},
      ${row.priceSats}, ${json(tx, row.terms)}, ${json(tx, row.signatures)}, ${row.fundingTxid}, ${row.secretHash},
      'active', ${row.createdAt}, ${row.expiresAt}, ${row.receiveSats}, ${row.settlementVsize}, ${row.packageVsize},
      ${row.paidSats})`
}

export function findCollectionOffer(sql: Queryable, offerId: string) {
  return first(sql<CollectionOfferRow[]>`
    select ${columns(sql)} from collection_offers o where offer_id = ${offerId}`)
}

export function findByFill(sql: Queryable, settlementId: string) {
  return first(sql<CollectionOfferRow[]>`
    select ${columns(sql)} from collection_offers o where settlement_id = ${settlementId}`)
}

export async function setFill(
  tx: Transaction,
  offerId: string,
  fill: { settlementId: string; inscriptionId: string; satOffset: number; sellerScript: Uint8Array },
): Promise<void> {
  await tx`
    update collection_offers set settlement_id = ${fill.settlementId}, filled_inscription_id = ${fill.inscriptionId},
      filled_sat_offset = ${fill.satOffset},
      seller_script = ${fill.sellerScript} where offer_id = ${offerId}`
}

/** Locks an invalidated offer. Returns true if it can become active again. */
export async function isRevivable(tx: Transaction, offerId: string, now: Date): Promise<boolean> {
  const rows = await tx`
    select 1 from collection_offers o where offer_id = ${offerId} and state = 'invalidated' and expires_at > final_time(${now})
      and not exists (select 1 from collection_offers s where s.funding_txid = o.funding_txid
        and s.state in ('active', 'filling'))
    for no key update of o`
  return rows.length > 0
}

export async function countActive(sql: Queryable, walletBindingId: string, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from collection_offers
    where wallet_binding_id = ${walletBindingId} and state = 'active' and expires_at > ${now}`
  return row!.count
}

/** Returns a wallet's active offers with these criteria and coins. */
export async function listReplaced(
  sql: Queryable,
  of: { walletBindingId: string; criteriaHash: string; coins: readonly Outpoint[]; now: Date },
): Promise<string[]> {
  const rows = await sql<{ offerId: string }[]>`
    select o.offer_id from collection_offers o
    where o.wallet_binding_id = ${of.walletBindingId} and o.criteria_hash = ${of.criteriaHash} and o.state = 'active'
      and o.expires_at > ${of.now} and exists (
        select 1 from backing_coins c
        join unnest(${of.coins.map((coin) => coin.txid)}::text[], ${of.coins.map((coin) => coin.vout)}::bigint[])
          as s (txid, vout) using (txid, vout)
        where c.offer_id = o.offer_id)
    order by o.offer_id`
  return rows.map((row) => row.offerId)
}

export interface Revocable {
  offerId: string
  secretHash: string
  expiresAt: Date
}

/** Returns offers whose revocation is not recorded yet. */
export function listRevocable(sql: Queryable): Promise<Revocable[]> {
  return sql<Revocable[]>`
    select offer_id, secret_hash, expires_at from collection_offers
    where state in ('cancelled', 'replaced') and revoked_at is null limit 1000`
}

/** Clears all recorded revocations, so that they are sent again. */
export async function forgetRevocations(sql: Queryable): Promise<void> {
  await sql`update collection_offers set revoked_at = null where revoked_at is not null`
}

export function listUnended(sql: Queryable): Promise<Revocable[]> {
  return sql<Revocable[]>`
    select offer_id, secret_hash, expires_at from collection_offers where state in ('active', 'invalidated')`
}

export function listFilling(sql: Queryable): Promise<Revocable[]> {
  return sql<Revocable[]>`
    select offer_id, secret_hash, expires_at from collection_offers join settlements s using (settlement_id)
    where s.state in ('intended', 'broadcast')`
}

export async function setRevoked(sql: Queryable, offerIds: readonly string[], now: Date): Promise<void> {
  await sql`update collection_offers set revoked_at = ${now} where offer_id = any(${offerIds as string[]}::uuid[])`
}

export async function listBidCollections(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ collectionId: string }[]>`
    select distinct collection_id from collection_offers where state = 'active'`
  return rows.map((row) => row.collectionId)
}

export interface BidRow extends Taking {
  offerId: string
  terms: object
}

/** Returns a batch of active bids on a collection, by id. */
export function listBidsOf(
  sql: Queryable,
  { collectionId, after, count }: { collectionId: string; after: string | null; count: number },
): Promise<BidRow[]> {
  return sql<BidRow[]>`
    select offer_id, terms, receive_sats, settlement_vsize, package_vsize, paid_sats from collection_offers
    where collection_id = ${collectionId} and state = 'active' and (${after}::uuid is null or offer_id > ${after})
    order by offer_id limit ${count}`
}

export async function setTaking(sql: Queryable, offerId: string, taking: Taking): Promise<void> {
  const { receiveSats, settlementVsize, packageVsize, paidSats } = taking
  await sql`
    update collection_offers set receive_sats = ${receiveSats}, settlement_vsize = ${settlementVsize},
      package_vsize = ${packageVsize}, paid_sats = ${paidSats}
    where offer_id = ${offerId}`
}

/** Returns the floors of a target and its collection, in sats. */
export async function findTargetFloors(
  sql: Queryable,
  collectionId: string,
  target: OfferTarget,
  now: Date,
): Promise<{ floorSats: number | null; collectionFloorSats: number | null }> {
  const open = sql`
    a.collection_id = ${collectionId} and a.closed_at is null and (a.expires_at is null or a.expires_at > ${now})`
  const [row] = await sql<{ floorSats: number | null; collectionFloorSats: number | null }[]>`
    select (select a.price_sats from book_entries a join collection_items m using (collection_id, inscription_id)
      where ${open} and matches_target(${json(sql, target)}, m.traits) order by -a.price_sats desc limit 1) as floor_sats,
      (select a.price_sats from book_entries a where ${open} order by -a.price_sats desc limit 1) as collection_floor_sats`
  return row!
}

export async function findPreview(
  sql: Queryable,
  inscriptionId: string,
): Promise<{ contentType: string | null }> {
  const [row] = await sql<{ contentType: string | null }[]>`
    select coalesce(d.content_type, i.content_type) as content_type
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.inscription_id = ${inscriptionId}`
  return row ?? { contentType: null }
}

/** Returns if an inscription is in a collection (`member`) and matches a target (`match`). */
export async function isMatch(
  sql: Queryable,
  collectionId: string,
  target: OfferTarget,
  inscriptionId: string,
): Promise<{ member: boolean; match: boolean }> {
  const [row] = await sql<{ match: boolean }[]>`
    select matches_target(${json(sql, target)}, traits) as match from collection_items
    where collection_id = ${collectionId} and inscription_id = ${inscriptionId}`
  return { member: row !== undefined, match: row?.match ?? false }
}

/** Columns that a rendered offer depends on. */
export type BookRow = Pick<
  CollectionOfferRow,
  | 'offerId'
  | 'walletBindingId'
  | 'target'
  | 'scopeLabel'
  | 'priceSats'
  | 'eligibleCount'
  | 'createdAt'
  | 'expiresAt'
  | 'executable'
  | 'sampleInscriptionId'
> & {
  renderedRow: string | null
  renderedVersion: number
  paymentScript: Uint8Array
  contentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
}

const bookRows = (sql: Queryable, more = sql``) => sql`
  select o.offer_id, o.wallet_binding_id, o.target, o.scope_label, o.price_sats, o.eligible_count, o.created_at, o.expires_at,
    o.executable, o.sample_inscription_id, o.rendered_row, o.rendered_version, b.payment_script,
    coalesce(d.content_type, i.content_type) as content_type, c.image_rendering_hint ${more}
  from collection_offers o join wallet_bindings b using (wallet_binding_id) join collections c using (collection_id)
    left join inscription_rows i on i.inscription_id = o.sample_inscription_id
    left join inscription_rows d on d.inscription_id = i.delegate_id`

/** Returns a collection's active offers, best price first (index collection_offers_book). */
export function listBook(
  sql: Queryable,
  slug: string,
  walletBindingIds: readonly string[] | null,
  now: Date,
): Promise<BookRow[]> {
  return sql<BookRow[]>`
    ${bookRows(sql)}
    where o.collection_id = (select collection_id from collections where slug = ${slug.toLowerCase()})
      and o.state = 'active' and o.expires_at > ${now}
      ${walletBindingIds === null ? sql`` : sql`and o.wallet_binding_id = any(${walletBindingIds as string[]}::uuid[])`}
    order by o.price_sats desc, o.created_at, o.offer_id`
}

/** Returns the active offers of wallets, best price first (index collection_offers_own). */
export const listOwnBidRows = (sql: Queryable, walletBindingIds: readonly string[], now: Date) =>
  sql<(BookRow & { collectionSlug: string; collectionName: string })[]>`
    ${bookRows(sql, sql`, c.slug as collection_slug, c.name as collection_name`)}
    where o.wallet_binding_id = any(${walletBindingIds as string[]}::uuid[]) and o.state = 'active' and o.expires_at > ${now}
    order by o.price_sats desc, o.created_at, o.offer_id`

export const listRendered = (sql: Queryable, after: string | null, rows: number): Promise<BookRow[]> =>
  sql<BookRow[]>`
    ${bookRows(sql)} where o.rendered_row is not null and (${after}::uuid is null or o.offer_id > ${after})
    order by o.offer_id limit ${rows}`

export type BookSlice = Slice & { collectionId: string; totalCount: number; traitOfferCount: number }

/** Returns the rendered active offers of a collection, best price first (index collection_offers_book). */
export function sliceBook(sql: Queryable, slug: string, now: Date) {
  return first(sql<BookSlice[]>`
    select c.collection_id, book.* from collections c, lateral (
      select string_agg(o.rendered_row, ',' order by o.price_sats desc, o.created_at, o.offer_id) as rows,
        bool_or(o.rendered_row is null) as stale, min(o.expires_at) as expires_at, count(*) as total_count,
        count(*) filter (where o.target ->> 'kind' = 'traits') as trait_offer_count
      from collection_offers o
      where o.collection_id = c.collection_id and o.state = 'active' and o.expires_at > ${now}) book
    where c.slug = ${slug.toLowerCase()}`)
}

/** Stores rendered rows of unchanged offers. */
export const saveRenderedBook = (sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> =>
  saveRenderedRows(sql, sql`collection_offers`, sql`offer_id`, sql`uuid[]`, rendered)
