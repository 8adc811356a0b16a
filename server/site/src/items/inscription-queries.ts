import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { first, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import { rankOf } from '@ordbook/market/collections/queries.ts'
import { openEntry } from '../collections/collection-queries.ts'
import type { TraitRow } from './trait-queries.ts'

export interface FullInscription {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  contentType: string | null
  contentBytes: number | null
  ownerScript: Uint8Array | null
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  sat: number | null
  cursed: boolean
  height: number
  inscribedAt: Date
  delegateId: string | null
  metaprotocol: string | null
  parentIds: string[]
}

export function findFull(sql: Queryable, inscriptionId: string) {
  return first(sql<FullInscription[]>`
    select i.inscription_id, i.sequence, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      coalesce(d.content_length, i.content_length) as content_bytes, i.owner_script, i.txid, i.vout, i.sat_offset, i.output_value_sats,
      i.sat, i.cursed, i.height, i.inscribed_at, i.delegate_id, i.metaprotocol, i.parent_ids
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.inscription_id = ${inscriptionId}`)
}

export interface RelativeRow {
  inscriptionId: string
  inscriptionNumber: number | null
  contentType: string | null
}

export function listRelatives(sql: Queryable, ids: readonly string[]): Promise<RelativeRow[]> {
  return sql<RelativeRow[]>`
    select i.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.inscription_id = any(${ids as string[]}::text[]) order by i.sequence limit 50`
}

/** Lists the first children of an inscription and counts all (index inscriptions_parents). */
export function listChildren(
  sql: Queryable,
  inscriptionId: string,
  page: { offset: number; rows: number },
): Promise<(RelativeRow & { total: number })[]> {
  return sql`
    select i.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      (count(*) over ())::int as total
    from inscriptions i left join inscriptions d on d.inscription_id = i.delegate_id
    where i.parent_ids @> array[${inscriptionId}]::text[] order by i.sequence
    offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

export interface MembershipRow {
  collectionId: string
  slug: string
  name: string
  verificationStatus: 'verified' | 'unverified'
  imageRenderingHint: 'auto' | 'pixelated' | null
  itemName: string
  rank: number | null
  itemCount: number
  floorSats: number | null
  traits: TraitRow[]
}

/** Lists an inscription's collections and its traits in each. */
export function listMemberships(sql: Queryable, inscriptionId: string, now: Date): Promise<MembershipRow[]> {
  return sql<MembershipRow[]>`
    select c.collection_id, c.slug, c.name, c.verification_status, c.image_rendering_hint, m.item_name, ${rankOf(sql, sql`m`)} as rank, n.item_count,
      f.floor_sats, (
        select coalesce(jsonb_agg(jsonb_build_object('type', x.type, 'value', x.value,
          'count', coalesce(t.item_count, 0), 'floorSats', (
            select min(b.price_sats) from collection_items o join book_entries b using (collection_id, inscription_id)
            where o.collection_id = c.collection_id and ${openEntry(sql, now)}
              and o.traits @> jsonb_build_array(jsonb_build_object('type', x.type, 'value', x.value))))
          order by n), '[]')
        from rows from (jsonb_to_recordset(m.traits) as (type text, value text)) with ordinality as x (type, value, n)
        left join trait_counts t on t.collection_id = c.collection_id and t.trait_type = x.type and t.trait_value = x.value
      ) as traits
    from collection_items m join collections c using (collection_id) join collection_counts n using (collection_id)
      join collection_floors f using (collection_id)
    where m.inscription_id = ${inscriptionId} order by c.slug`
}

/** Items counted to find the position of an item. */
const MAX_COUNTED = 20_000

export interface Neighbours {
  place: number | null
  previous: { inscriptionId: string; name: string } | null
  next: { inscriptionId: string; name: string } | null
}

/** Returns the position of an item in its collection by number, and the items next to it (index collection_items_number). */
export function findNeighbours(sql: Queryable, { collectionId }: MembershipRow, inscriptionId: string) {
  const others = sql`collection_items o where o.collection_id = m.collection_id`
  const neighbour = sql`jsonb_build_object('inscriptionId', o.inscription_id, 'name', o.item_name)`
  return first(sql<Neighbours[]>`
    select nullif((
        select count(*)::int from (
          select 1 from ${others} and (o.name_number, o.sort_key) <= (m.name_number, m.sort_key)
          limit ${limitOf(sql, MAX_COUNTED + 1)}) counted), ${MAX_COUNTED + 1}::int) as place, (
        select ${neighbour} from ${others} and (o.name_number, o.sort_key) < (m.name_number, m.sort_key)
        order by o.name_number desc, o.sort_key desc limit 1) as previous, (
        select ${neighbour} from ${others} and (o.name_number, o.sort_key) > (m.name_number, m.sort_key)
        order by o.name_number, o.sort_key limit 1) as next
    from collection_items m where m.collection_id = ${collectionId} and m.inscription_id = ${inscriptionId}`)
}

export interface LiveListing {
  listingId: string
  state: 'buyable' | 'hidden_locked' | 'pending_public'
  priceSats: number
  listedAt: Date
  expiresAt: Date | null
}

/** Returns the live listing of the inscription's coin, or null. */
export function findLiveListing(sql: Queryable, inscriptionId: string, now: Date) {
  return first(sql<LiveListing[]>`
    select listing_id, state, price_sats, listed_at, expires_at from live_listing_with(${inscriptionId})
    where expires_at is null or expires_at > ${now}`)
}

export interface ItemName {
  inscriptionId: string
  inscriptionNumber: number
  contentType: string | null
  itemName: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  collectionSlug: string | null
  collectionName: string | null
  verificationStatus: 'verified' | 'unverified' | null
  collectionFloorSats: number | null
  sellerRoyaltyBps: number | null
}

/** Lists names in the order of the ids. Unknown ids are omitted. */
export function listNames(sql: Queryable, inscriptionIds: readonly string[]): Promise<ItemName[]> {
  return sql<ItemName[]>`
    select i.inscription_id, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, m.*
    from unnest(${inscriptionIds as string[]}::text[]) with ordinality as o (inscription_id, n)
      join inscriptions i using (inscription_id)
      left join inscriptions d on d.inscription_id = i.delegate_id
      left join lateral (
        select m.item_name, c.image_rendering_hint, c.slug as collection_slug, c.name as collection_name,
          c.verification_status, f.floor_sats as collection_floor_sats, c.seller_royalty_bps
        from collection_items m join collections c using (collection_id) join collection_floors f using (collection_id)
        where m.inscription_id = i.inscription_id order by c.slug limit 1) m on true
    order by o.n`
}

/** Lists the coins of inscriptions. Inscriptions without a coin are omitted. */
export function listCoinsOf(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<(Outpoint & { inscriptionId: string })[]> {
  return sql<(Outpoint & { inscriptionId: string })[]>`
    select inscription_id, txid, vout from inscriptions
    where inscription_id = any(${inscriptionIds as string[]}::text[]) and output_value_sats is not null
    order by sequence`
}

export interface EscrowOwner {
  sellerScript: Uint8Array
  escrowForm: 'published' | 'wallet'
}

/** Returns the owner of an escrow coin, or null if it is not an escrow. */
export function findEscrowOwner(sql: Queryable, { txid, vout }: { txid: string; vout: number }) {
  return first(sql<EscrowOwner[]>`
    select seller_script, terms ->> 'escrowForm' as escrow_form from escrows where txid = ${txid} and vout = ${vout}`)
}

export interface MoveRow {
  height: number
  at: Date
  txid: string
  fromScript: Uint8Array | null
  toScript: Uint8Array | null
  priceSats: number | null
  external: boolean
}

/**
 * Lists moves, latest first, by following the sat back from coin to coin (index coin_moves_to). Omits moves into and out of escrow, because
 * the owner stays the same.
 */
export function listMoves(sql: Queryable, sequence: number, inscriptionId: string): Promise<MoveRow[]> {
  return sql<MoveRow[]>`
    with recursive trail as (
      select i.txid, i.vout, i.sat_offset, null::int as height, null::int as position, null::text as moved_by,
        null::bytea as from_script, null::bytea as to_script, null::text as to_txid, null::bigint as to_vout
      from inscriptions i where i.sequence = ${sequence}
      union all
      select m.from_txid, m.from_vout, m.from_offset + trail.sat_offset - m.to_offset, m.height, m.position,
        coalesce(m.moved_by, m.to_txid), m.from_script, m.to_script, trail.txid, trail.vout::bigint
      from trail, lateral (
        select * from coin_moves c where txid_key(c.to_txid) = txid_key(trail.txid) and c.to_vout = trail.vout
          and c.to_txid = trail.txid and c.to_offset <= trail.sat_offset
        order by c.to_offset desc limit 1) m
      where trail.sat_offset <= m.to_offset + m.span)
    select m.height, b.mined_at as at, m.moved_by as txid, coalesce(o.seller_script, m.from_script) as from_script,
      coalesce(i.seller_script, m.to_script) as to_script, s.price_sats,
      coalesce(s.sale_type = 'external', false) as external
    from (select * from trail limit 101) m join blocks b using (height)
      left join escrows i on i.txid = m.to_txid and i.vout = m.to_vout
      left join escrows o on o.txid = m.txid and o.vout = m.vout
      left join sales s on s.txid = m.moved_by and s.inscription_id = ${inscriptionId}
    where s.sale_id is not null or coalesce(i.seller_script, o.seller_script) is null
      or coalesce(o.seller_script, m.from_script) is distinct from coalesce(i.seller_script, m.to_script)
    order by m.height desc, m.position desc`
}

/**
 * Returns the first block since which all moves are recorded. Earlier moves were pruned, or happened before the index started or adopted
 * the inscription.
 */
export async function findMovesFrom(sql: Queryable, sequence: number): Promise<number> {
  const [row] = await sql<{ height: number }[]>`
    select greatest((select min(height) + 1 from blocks),
      (select adopted_height + 1 from inscription_rows where sequence = ${sequence}),
      (select value::int + 1 from settings where name = 'moves forgotten to')) as height`
  return row!.height
}
