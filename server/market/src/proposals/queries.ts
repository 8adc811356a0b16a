import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Fragment, Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import {
  keyColumns,
  keysOf,
  lastKeys,
  type Order,
  onePage,
  orderBy,
  type PageOf,
} from '@ordbook/db/driver/order.ts'
import type { FeedSlice, RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'
import { sliceColumns } from '../rendered-rows/queries.ts'

export interface CollectionSummaryRow {
  id: string
  slug: string
  name: string
  cardBackgroundColor: string | null
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
}

export const PROPOSAL_ORDER = [
  { column: 'created_at', type: 'timestamptz', direction: 'desc' },
  { column: 'proposal_id', type: 'uuid', direction: 'desc' },
] as const satisfies Order

export interface FeedPage extends PageOf<typeof PROPOSAL_ORDER> {
  /** Null matches all collections. */
  collectionSlug: string | null
  now: Date
}

/**
 * Rows of a page (index proposals_feed, primary key of proposal_collections). With `offset 0`, PostgreSQL walks the collection's proposals.
 * It underestimates the unexpired proposals, and a join would read all of them.
 */
const pageOfFeed = (sql: Queryable, page: FeedPage, columns: Fragment) => {
  const { collectionSlug, now } = page
  const feed =
    collectionSlug === null
      ? sql`proposals p where true`
      : sql`proposal_collections k
          cross join lateral (select * from proposals each where each.proposal_id = k.proposal_id offset 0) p
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})`
  const key = collectionSlug === null ? sql`p` : sql`k`
  return sql`
    select ${columns}, ${keyColumns(sql, page.order, key)}
    from ${feed} and p.state = 'active' and p.visibility = 'public' and p.available and p.expires_at > ${now}
    ${onePage(sql, page, key)}`
}

/** Floors by collection id, and when one of them next changes by expiry. */
export interface Floors {
  floors: Record<string, number | null> | null
  floorsUntil: Date | null
}

const floorsIn = (sql: Queryable, ids: Fragment, now: Date) => sql`
  select json_object_agg(f.collection_id, case when f.next_expiry_at <= ${now}
      then (select min(a.price_sats) from book_entries a where a.collection_id = f.collection_id and a.closed_at is null
        and (a.expires_at is null or a.expires_at > ${now}))
      else f.floor_sats end) as floors, min(f.next_expiry_at) as floors_until
  from collection_floors f where f.collection_id in (${ids})`

/** Returns a page of rendered rows with their floors. */
export async function sliceFeed(sql: Queryable, page: FeedPage): Promise<FeedSlice & Floors> {
  const columns = sql`p.rendered_row, p.rendered_collections, p.expires_at`
  const [row] = await sql<(FeedSlice & Floors)[]>`
    with page as materialized (${pageOfFeed(sql, page, columns)})
    select rendered.*, floors.* from (
      select ${sliceColumns(sql, lastKeys(sql, page.order, page.rows))}, min(expires_at) as expires_at from page) rendered,
      (${floorsIn(sql, sql`select unnest(rendered_collections) from page`, page.now)}) floors`
  return row!
}

export async function findFloors(
  sql: Queryable,
  collectionIds: readonly string[],
  now: Date,
): Promise<Floors> {
  const [row] = await sql<Floors[]>`
    ${floorsIn(sql, sql`select unnest(${collectionIds as string[]}::uuid[])`, now)}`
  return row!
}

export interface ProposalRow {
  proposalId: string
  renderedRow: string | null
  renderedVersion: number
  creatorScript: Uint8Array
  offeredBtcSats: number
  requestedBtcSats: number
  marketplaceFeeSats: number
  createdAt: Date
  expiresAt: Date
  keys: FeedPage['after'] & {}
}

/** Returns a page with the columns of rendered proposals. */
export function listProposalRows(sql: Queryable, page: FeedPage): Promise<ProposalRow[]> {
  return sql<ProposalRow[]>`
    select proposal_id, rendered_row, rendered_version, creator_script, offered_btc_sats, requested_btc_sats, marketplace_fee_sats,
      created_at, expires_at, ${keysOf(sql, page.order, sql`page`)} as keys
    from (${pageOfFeed(sql, page, sql`p.*`)}) page ${orderBy(sql, page.order, sql`page`)}`
}

/** Stores rendered rows of unchanged proposals. */
export async function saveRenderedProposals(
  sql: Queryable,
  rendered: readonly (RenderedRow & { collections: readonly string[] })[],
): Promise<void> {
  await sql`
    update proposals p set rendered_row = fresh.rendered_row, rendered_collections = fresh.collections
    from (
      select p.proposal_id, x.rendered_row, string_to_array(nullif(x.collections, ''), ',')::uuid[] as collections
      from unnest(${rendered.map((each) => each.id)}::uuid[], ${rendered.map((each) => each.version)}::int[],
        ${rendered.map((each) => each.text)}::text[], ${rendered.map((each) => each.collections.join(','))}::text[])
        as x (id, version, rendered_row, collections)
      join proposals p on p.proposal_id = x.id and p.rendered_version = x.version and p.rendered_row is null
      for no key update of p skip locked
    ) fresh
    where p.proposal_id = fresh.proposal_id`
}

export interface OfferedRow {
  proposalId: string
  inscriptionId: string
  sequence: number
  outputValueSats: number
  contentType: string | null
  itemName: string | null
  collectionId: string | null
}

/** Returns proposals' offered inscriptions in order, each with its first collection. */
export function listOffered(sql: Queryable, proposalIds: readonly string[]): Promise<OfferedRow[]> {
  return sql<OfferedRow[]>`
    select o.proposal_id, o.inscription_id, i.sequence, i.output_value_sats,
      coalesce(d.content_type, i.content_type) as content_type, m.item_name, m.collection_id
    from proposal_items o
    join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral (
      select m.item_name, m.collection_id from collection_items m join collections c using (collection_id)
      where m.inscription_id = o.inscription_id order by c.slug limit 1
    ) m on true
    where o.proposal_id = any(${proposalIds as string[]}::uuid[]) and i.output_value_sats is not null
    order by o.proposal_id, o.position`
}

export type WantedTarget =
  | { kind: 'all' }
  | { kind: 'traits'; traits: { type: string; values: string[] }[] }
  | { kind: 'inscriptions'; inscriptionIds: string[] }

export interface ProposalRequestRow {
  proposalId: string
  requestId: string
  collectionId: string
  quantity: number
  target: WantedTarget
}

export function listProposalRequests(
  sql: Queryable,
  proposalIds: readonly string[],
): Promise<ProposalRequestRow[]> {
  return sql<ProposalRequestRow[]>`
    select proposal_id, request_id, collection_id, quantity, target from proposal_requests
    where proposal_id = any(${proposalIds as string[]}::uuid[]) order by proposal_id, position`
}

export interface SpecificRow {
  inscriptionId: string
  collectionId: string
  inscriptionNumber: number | null
  itemName: string
  contentType: string | null
}

/** Returns inscriptions as items of each collection. */
export function listSpecific(sql: Queryable, inscriptionIds: readonly string[]): Promise<SpecificRow[]> {
  return sql<SpecificRow[]>`
    select m.inscription_id, m.collection_id, i.inscription_number, m.item_name,
      coalesce(d.content_type, i.content_type) as content_type
    from collection_items m
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    where m.inscription_id = any(${inscriptionIds as string[]}::text[])`
}

export function listSummaries(
  sql: Queryable,
  which: { collectionIds: readonly string[] } | { slug: string },
): Promise<CollectionSummaryRow[]> {
  return sql<CollectionSummaryRow[]>`
    select c.collection_id as id, c.slug, c.name, c.card_background_color, c.preview_inscription_id,
      coalesce(d.content_type, i.content_type) as preview_content_type, c.image_rendering_hint
    from collections c
    left join inscriptions i on i.inscription_id = c.preview_inscription_id
    left join inscriptions d on d.inscription_id = i.delegate_id
    where ${
      'slug' in which
        ? sql`c.slug = ${which.slug}`
        : sql`c.collection_id = any(${which.collectionIds as string[]}::uuid[])`
    }`
}

/** Returns proposals that offer an inscription in these coins (indexes watched_inscriptions_place, proposal_items_inscription). */
export async function listOffering(tx: Transaction, coins: readonly Outpoint[]): Promise<string[]> {
  const rows = await tx<{ proposalId: string }[]>`
    select distinct p.proposal_id
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join watched_inscriptions i on txid_key(i.txid) = txid_key(o.txid) and i.txid = o.txid and i.vout = o.vout
    join proposal_items p on p.inscription_id = i.inscription_id`
  return rows.map((row) => row.proposalId)
}

/** Returns coins after one with inscriptions that active proposals offer. */
export function listOfferedCoins(
  sql: Queryable,
  last: Outpoint | undefined,
  rows: number,
): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select distinct coalesce(i.txid, '') as txid, coalesce(i.vout, 0) as vout
    from proposals p join proposal_items o using (proposal_id) join watched_inscriptions i using (inscription_id)
    where p.state = 'active' and i.txid is not null
      and (i.txid, i.vout) > (${last?.txid ?? ''}, ${last?.vout ?? 0}::bigint)
    order by 1, 2 limit ${rows}`
}

export async function refreshProposals(tx: Transaction, proposalIds: readonly string[]): Promise<void> {
  await tx`select refresh_proposals(${proposalIds as string[]}::uuid[])`
}
