import { type Fragment, json, limitOf, type Queryable, type Transaction } from '../db/connect.ts'
import { BETWEEN, type Card, type Slice } from '../http/cursor.ts'

export interface CollectionSummaryRow {
  id: string
  slug: string
  name: string
  cardBackgroundColor: string | null
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
}

/** Which proposals a page of the public feed is about. */
export interface FeedPage {
  /** The last row of the page before; its time to the microsecond, as PostgreSQL writes it. */
  after: { createdAt: string; proposalId: string } | null
  /** Null: any. */
  collectionSlug: string | null
  /** One more than the page holds. */
  rows: number
  now: Date
}

/** The rows of a page (index proposals_feed, the key of proposal_collections), in order. */
const pageOfFeed = (sql: Queryable, { after, collectionSlug, rows, now }: FeedPage, columns: Fragment) => {
  const feed =
    collectionSlug === null
      ? sql`proposals p where true`
      : sql`proposal_collections k join proposals p using (proposal_id)
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})`
  const key = collectionSlug === null ? sql`p` : sql`k`
  return sql`
    select ${columns}
    from ${feed} and p.state = 'active' and p.visibility = 'public' and p.available and p.expires_at > ${now}
      ${
        after === null
          ? sql``
          : sql`and (${key}.created_at, ${key}.proposal_id) < (${after.createdAt}::text::timestamptz, ${after.proposalId}::uuid)`
      }
    order by ${key}.created_at desc, ${key}.proposal_id desc limit ${limitOf(sql, rows)}`
}

/** Floors as the holes of cards want them, and the first moment at which one of them ends by itself. */
export interface Floors {
  floors: Record<string, number | null> | null
  floorsUntil: Date | null
}

const floorsIn = (sql: Queryable, ids: Fragment, now: Date) => sql`
  select jsonb_object_agg(f.collection_id, case when f.next_expiry_at <= ${now}
      then (select min(a.price_sats) from asks a where a.collection_id = f.collection_id and a.closed_at is null
        and (a.expires_at is null or a.expires_at > ${now}))
      else f.floor_sats end) as floors, min(f.next_expiry_at) as floors_until
  from collection_floors f where f.collection_id in (${ids})`

type FeedSlice = Slice & Floors & { lastCreatedAt: string | null; lastProposalId: string | null }

/** A page as its cards, with the floors that belong into them. */
export async function sliceFeed(sql: Queryable, page: FeedPage): Promise<FeedSlice> {
  const last = sql`[${page.rows - 1}::int]`
  const columns = sql`p.card, p.card_collections, p.expires_at, p.created_at, p.proposal_id`
  const [row] = await sql<FeedSlice[]>`
    with page as materialized (${pageOfFeed(sql, page, columns)})
    select cards.*, floors.* from (
      select string_agg(card, ${BETWEEN}) as cards, count(*) as row_count, bool_or(card is null) as stale,
        min(expires_at) as expires_at, (array_agg(created_at))${last}::text as last_created_at,
        (array_agg(proposal_id))${last} as last_proposal_id
      from page) cards,
      (${floorsIn(sql, sql`select unnest(card_collections) from page`, page.now)}) floors`
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
  card: string | null
  cardVersion: number
  creatorScript: Uint8Array
  offeredBtcSats: number
  requestedBtcSats: number
  marketplaceFeeSats: number
  createdAt: Date
  createdAtText: string
  expiresAt: Date
}

/** A page with what its cards show of the proposals themselves. */
export function listProposalRows(sql: Queryable, page: FeedPage): Promise<ProposalRow[]> {
  return sql<ProposalRow[]>`
    select proposal_id, card, card_version, creator_script, offered_btc_sats, requested_btc_sats, marketplace_fee_sats,
      created_at, created_at::text as created_at_text, expires_at
    from (${pageOfFeed(sql, page, sql`p.*`)}) page order by created_at desc, proposal_id desc`
}

/** Keeps cards, each where its row is still what it was rendered from. */
export async function writeProposalCards(
  sql: Queryable,
  cards: readonly (Card & { collections: readonly string[] })[],
): Promise<void> {
  await sql`
    update proposals p set card = fresh.card, card_collections = fresh.collections
    from (
      select p.proposal_id, x.card, string_to_array(nullif(x.collections, ''), ',')::uuid[] as collections
      from unnest(${cards.map((each) => each.id)}::uuid[], ${cards.map((each) => each.version)}::int[],
        ${cards.map((each) => each.card)}::text[], ${cards.map((each) => each.collections.join(','))}::text[])
        as x (id, version, card, collections)
      join proposals p on p.proposal_id = x.id and p.card_version = x.version and p.card is null
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

/** What proposals offer, in order; each with the first of its collections by slug. */
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

export interface LegRow {
  proposalId: string
  legId: string
  collectionId: string
  quantity: number
  target: WantedTarget
}

export function listLegs(sql: Queryable, proposalIds: readonly string[]): Promise<LegRow[]> {
  return sql<LegRow[]>`
    select proposal_id, leg_id, collection_id, quantity, target from proposal_legs
    where proposal_id = any(${proposalIds as string[]}::uuid[]) order by proposal_id, position`
}

export interface SpecificRow {
  inscriptionId: string
  collectionId: string
  inscriptionNumber: number | null
  itemName: string
  contentType: string | null
}

/** How collections call the inscriptions that legs name. */
export function listSpecific(sql: Queryable, inscriptionIds: readonly string[]): Promise<SpecificRow[]> {
  return sql<SpecificRow[]>`
    select m.inscription_id, m.collection_id, i.inscription_number, m.item_name,
      coalesce(d.content_type, i.content_type) as content_type
    from collection_items m
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    where m.inscription_id = any(${inscriptionIds as string[]}::text[])`
}

/** Collections as proposals show them. */
export function listSummaries(
  sql: Queryable,
  collectionIds: readonly string[],
): Promise<CollectionSummaryRow[]> {
  return sql<CollectionSummaryRow[]>`
    select c.collection_id as id, c.slug, c.name, c.card_background_color, c.preview_inscription_id,
      coalesce(d.content_type, i.content_type) as preview_content_type, c.image_rendering_hint
    from collections c
    left join inscriptions i on i.inscription_id = c.preview_inscription_id
    left join inscriptions d on d.inscription_id = i.delegate_id
    where c.collection_id = any(${collectionIds as string[]}::uuid[])`
}

/** A proposal as its creator knows it. */
export interface OwnRow extends ProposalRow {
  visibility: 'public' | 'private'
  state: 'active' | 'accepted' | 'cancelled' | 'expired'
  available: boolean
}

/** Proposals of creators, newest first (index proposals_creator). */
export function listOwnRows(
  sql: Queryable,
  page: {
    creatorScripts: readonly Uint8Array[]
    after: { createdAt: string; proposalId: string } | null
    /** Null: any. */
    proposalId: string | null
    rows: number
  },
): Promise<OwnRow[]> {
  const { creatorScripts, after, proposalId, rows } = page
  return sql<OwnRow[]>`
    select proposal_id, card, card_version, creator_script, visibility, state, available, offered_btc_sats,
      requested_btc_sats, marketplace_fee_sats, created_at, created_at::text as created_at_text, expires_at
    from proposals where creator_script in ${sql(creatorScripts as Uint8Array[])}
      ${proposalId === null ? sql`` : sql`and proposal_id = ${proposalId}`}
      ${
        after === null
          ? sql``
          : sql`and (created_at, proposal_id) < (${after.createdAt}::text::timestamptz, ${after.proposalId}::uuid)`
      }
    order by created_at desc, proposal_id desc limit ${limitOf(sql, rows)}`
}

export interface NewProposal {
  proposalId: string
  creatorScript: Uint8Array
  visibility: 'public' | 'private'
  offeredBtcSats: number
  requestedBtcSats: number
  marketplaceFeeSats: number
  createdAt: Date
  expiresAt: Date
  offeredInscriptionIds: readonly string[]
  legs: readonly { legId: string; collectionId: string; quantity: number; target: WantedTarget }[]
}

export async function insertProposal(tx: Transaction, row: NewProposal): Promise<void> {
  await tx`
    insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
      marketplace_fee_sats, created_at, expires_at)
    values (${row.proposalId}, ${row.creatorScript}, ${row.visibility}, 'active', ${row.offeredBtcSats},
      ${row.requestedBtcSats}, ${row.marketplaceFeeSats}, ${row.createdAt}, ${row.expiresAt})`
  await tx`
    insert into proposal_items (proposal_id, position, inscription_id)
    select ${row.proposalId}, n - 1, id
    from unnest(${row.offeredInscriptionIds as string[]}::text[]) with ordinality as offered (id, n)`
  for (const [position, leg] of row.legs.entries())
    await tx`
      insert into proposal_legs (leg_id, proposal_id, position, collection_id, quantity, target)
      values (${leg.legId}, ${row.proposalId}, ${position}, ${leg.collectionId}, ${leg.quantity}, ${json(tx, leg.target)})`
}

/** Ends an active proposal; false when it was not active any more. */
export async function moveProposal(
  sql: Queryable,
  proposalId: string,
  to: 'cancelled' | 'expired',
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update proposals set state = ${to}, ended_at = ${now}
    where proposal_id = ${proposalId} and state = 'active'
      ${to === 'expired' ? sql`` : sql`and expires_at > ${now}`} returning 1`
  return rows.length === 1
}

/** Active proposals whose time is over (index proposals_expiry). */
export function listExpiredProposals(
  sql: Queryable,
  now: Date,
): Promise<{ proposalId: string; expiresAt: Date }[]> {
  return sql<{ proposalId: string; expiresAt: Date }[]>`
    select proposal_id, expires_at from proposals where state = 'active' and expires_at <= ${now} limit 1000`
}

export async function countActive(sql: Queryable, creatorScript: Uint8Array, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from proposals
    where creator_script = ${creatorScript} and state = 'active' and expires_at > ${now}`
  return row!.count
}

/** Who holds inscriptions, and whether a purchase under way has them. */
export function listHoldings(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<{ inscriptionId: string; ownerScript: Uint8Array | null; isLocked: boolean }[]> {
  return sql<{ inscriptionId: string; ownerScript: Uint8Array | null; isLocked: boolean }[]>`
    select inscription_id, owner_script, exists (
      select 1 from listings l where l.inscription_id = i.inscription_id and l.state = 'hidden_locked') as is_locked
    from inscriptions i where inscription_id = any(${inscriptionIds as string[]}::text[])`
}

/** Items of a collection that have, of each group, one of its values. Groups are joined by AND; none takes all. */
export async function countTraitMatches(
  sql: Queryable,
  collectionId: string,
  groups: readonly { type: string; values: readonly string[] }[],
): Promise<number> {
  const wanted = groups.reduce(
    (before, { type, values }) => sql`${before} and exists (
      select 1 from jsonb_to_recordset(m.traits) as t (type text, value text)
      where t.type = ${type} and t.value = any(${values as string[]}::text[]))`,
    sql``,
  )
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from collection_items m where m.collection_id = ${collectionId} ${wanted}`
  return row!.count
}
