import type { OfferTarget } from '@ordbook/bitcoin/trade/criteria.ts'
import type { listCollectionInscriptions } from '@ordbook/contract/collections.ts'
import type { QueryOf } from '@ordbook/contract/operation.ts'
import { type Fragment, first, json, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import {
  keyColumns,
  keysOf,
  lastKeys,
  type Order,
  onePageOfCollection,
  orderBy,
  type PageOf,
} from '@ordbook/db/driver/order.ts'
import { BETWEEN, type FeedSlice, type RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'

export interface CollectionRow {
  collectionId: string
  slug: string
  name: string
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified'
  cardBackgroundColor: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  previewInscriptionId: string | null
  tradingEnabled: boolean
  royaltyScript: Uint8Array | null
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
}

const columns = (sql: Queryable) => sql`
  collection_id, slug, name, kind, verification_status, card_background_color, image_rendering_hint,
  preview_inscription_id, trading_enabled, royalty_script, seller_royalty_bps, buyer_royalty_bps`

export function findCollection(sql: Queryable, slug: string) {
  return first(sql<CollectionRow[]>`
    select ${columns(sql)} from collections where slug = ${slug.toLowerCase()}`)
}

export function findCollectionById(sql: Queryable, collectionId: string) {
  return first(sql<CollectionRow[]>`
    select ${columns(sql)} from collections where collection_id = ${collectionId}`)
}

/** Returns the inscriptions in a collection that match a target. */
export async function listMembers(
  sql: Queryable,
  collectionId: string,
  inscriptionIds: readonly string[],
  target: OfferTarget | null = null,
): Promise<Set<string>> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from collection_items
    where collection_id = ${collectionId} and inscription_id = any(${inscriptionIds as string[]}::text[])
      ${target ? sql`and matches_target(${json(sql, target)}, traits)` : sql``}`
  return new Set(rows.map((row) => row.inscriptionId))
}

export type ItemSort = NonNullable<QueryOf<typeof listCollectionInscriptions>['sort']>

export const ITEM_ORDERS = {
  oldest: [{ column: 'sort_key', type: 'bigint', direction: 'asc' }],
  newest: [{ column: 'sort_key', type: 'bigint', direction: 'desc' }],
} as const satisfies Record<ItemSort, Order>

export interface ItemPage extends PageOf<(typeof ITEM_ORDERS)[ItemSort]> {
  slug: string
  now: Date
}

/** Rows of a page (index collection_items_order). The outer limit improves the planner's estimate. */
const pageOfItems = (sql: Queryable, page: ItemPage, columns: Fragment) => sql`
  select * from (
    select ${columns} from collection_items m
    where m.collection_id = (select collection_id from collections where slug = ${page.slug})
      ${onePageOfCollection(sql, page, sql`m`)}) walked
  limit ${limitOf(sql, page.rows)}`

type ItemSlice = FeedSlice & { collectionId: string | null }

export async function sliceItems(sql: Queryable, page: ItemPage): Promise<ItemSlice> {
  const columns = sql`m.rendered_row, m.rendered_expires_at, ${keyColumns(sql, page.order, sql`m`)}`
  const [row] = await sql<ItemSlice[]>`
    select (select collection_id from collections where slug = ${page.slug}) as collection_id,
      string_agg(rendered_row, ${BETWEEN}) as rows, count(*) as row_count,
      ${lastKeys(sql, page.order, page.rows)} as last_keys,
      bool_or(rendered_row is null or rendered_expires_at <= ${page.now}) as stale, min(rendered_expires_at) as expires_at
    from (${pageOfItems(sql, page, columns)}) page`
  return row!
}

export interface ItemRow {
  collectionId: string
  slug: string
  cardBackgroundColor: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  inscriptionId: string
  renderedRow: string | null
  renderedVersion: number
  renderedExpiresAt: Date | null
  keys: readonly (string | number)[]
  itemName: string
  traits: { type: string; value: string }[]
  traitCounts: Record<string, number>
  itemCount: number
  collections: string[]
  inscriptionNumber: number | null
  contentType: string | null
  sat: number | null
  txid: string | null
  vout: number | null
  satOffset: number | null
  ownerScript: Uint8Array | null
  listingId: string | null
  listingState: 'buyable' | 'hidden_locked' | 'pending_public' | null
  priceSats: number | null
  listedAt: Date | null
  listingExpiresAt: Date | null
  lastSaleSats: number | null
  rank: number | null
}

/** Rarity rank of an item in its collection. */
export const rankOf = (sql: Queryable, item: Fragment) =>
  sql`case when ${item}.traits <> '[]' then ${item}.rarity_rank end`

/** Returns a page with the columns of rendered items. */
export function listItems(sql: Queryable, page: ItemPage): Promise<ItemRow[]> {
  const columns = sql`m.*, ${keysOf(sql, page.order, sql`m`)} as keys`
  return itemRows(sql, pageOfItems(sql, page, columns), orderBy(sql, page.order, sql`page`), page.now)
}

export interface Member {
  collectionId: string
  inscriptionId: string
}

/** Returns items of several collections in order. */
export function listMembersInOrder(
  sql: Queryable,
  members: readonly Member[],
  now: Date,
): Promise<ItemRow[]> {
  const page = sql`
    select m.*, x.n, jsonb_build_array(x.n) as keys
    from unnest(${members.map((each) => each.collectionId)}::uuid[], ${members.map((each) => each.inscriptionId)}::text[])
      with ordinality as x (collection_id, inscription_id, n)
    join collection_items m on m.collection_id = x.collection_id and m.inscription_id = x.inscription_id`
  return itemRows(sql, page, sql`order by page.n`, now)
}

/** Price of the last sale of an inscription (index sales_inscription). */
export const lastSaleOf = (sql: Queryable, inscriptionId: Fragment) => sql`
  (select s.price_sats from sales s where s.inscription_id = ${inscriptionId} and s.counted
    order by s.height desc, s.sale_id desc limit 1)`

function itemRows(sql: Queryable, page: Fragment, order: Fragment, now: Date): Promise<ItemRow[]> {
  return sql<ItemRow[]>`
    select page.collection_id, c.slug, c.card_background_color, c.image_rendering_hint, page.inscription_id,
      page.rendered_row, page.rendered_version, page.rendered_expires_at, page.keys, page.item_name, page.traits, counts.item_count,
      ${rankOf(sql, sql`page`)} as rank,
      i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, i.sat, i.txid, i.vout,
      i.sat_offset, i.owner_script, l.listing_id, l.state as listing_state, l.price_sats, l.listed_at,
      l.expires_at as listing_expires_at,
      ${lastSaleOf(sql, sql`page.inscription_id`)} as last_sale_sats,
      (select array_agg(o.slug order by o.slug) from collection_items m join collections o using (collection_id)
        where m.inscription_id = page.inscription_id) as collections,
      (select coalesce(jsonb_object_agg(t.trait_type || chr(31) || t.trait_value, t.item_count), '{}')
        from jsonb_to_recordset(page.traits) as x (type text, value text)
        join trait_counts t on t.collection_id = page.collection_id and t.trait_type = x.type and t.trait_value = x.value)
        as trait_counts
    from (${page}) page
    join collections c using (collection_id)
    join collection_counts counts using (collection_id)
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral live_listing_with(page.inscription_id) l on item_of(l, page.collection_id) = page.inscription_id
      and (l.expires_at is null or l.expires_at > ${now})
    ${order}`
}

/** A rendered item. `id` is the inscription id. */
export interface ItemRendered extends RenderedRow {
  collectionId: string
}

/** Stores rendered rows of unchanged items. */
export async function saveRenderedItems(sql: Queryable, rendered: readonly ItemRendered[]): Promise<void> {
  await sql`
    update collection_items m set rendered_row = fresh.rendered_row, rendered_expires_at = fresh.expires_at
    from (
      select m.collection_id, m.inscription_id, x.rendered_row, x.expires_at
      from unnest(${rendered.map((each) => each.collectionId)}::uuid[], ${rendered.map((each) => each.id)}::text[],
        ${rendered.map((each) => each.version)}::int[], ${rendered.map((each) => each.text)}::text[],
        ${rendered.map((each) => each.expiresAt?.toISOString() ?? null)}::timestamptz[])
        as x (collection_id, id, version, rendered_row, expires_at)
      join collection_items m on m.collection_id = x.collection_id and m.inscription_id = x.id
        and m.rendered_version = x.version and m.rendered_row is null
      for no key update of m skip locked
    ) fresh
    where m.collection_id = fresh.collection_id and m.inscription_id = fresh.inscription_id`
}

export async function setRoyalty(
  sql: Queryable,
  slug: string,
  royalty: { script: Uint8Array | null; sellerBps: number; buyerBps: number },
): Promise<boolean> {
  const rows = await sql`
    update collections set royalty_script = ${royalty.script}, seller_royalty_bps = ${royalty.sellerBps},
      buyer_royalty_bps = ${royalty.buyerBps}
    where slug = ${slug.toLowerCase()} returning 1`
  return rows.length === 1
}

/** Returns the sorted ids of items that match a target. */
export async function listEligible(
  sql: Queryable,
  collectionId: string,
  target: OfferTarget,
): Promise<string[]> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from collection_items
    where collection_id = ${collectionId} and matches_target(${json(sql, target)}, traits)
    order by inscription_id collate "C"`
  return rows.map((row) => row.inscriptionId)
}

/** Counts the items that match a target. Also returns the lowest id. */
export async function countEligible(
  sql: Queryable,
  collectionId: string,
  target: OfferTarget,
): Promise<{ count: number; first: string | null }> {
  const [row] = await sql<{ count: number; first: string | null }[]>`
    select count(*) as count, min(inscription_id collate "C") as first from collection_items
    where collection_id = ${collectionId} and matches_target(${json(sql, target)}, traits)`
  return row!
}
