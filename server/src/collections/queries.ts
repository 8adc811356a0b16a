import type { Queryable, Transaction } from '../db/connect.ts'

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

export async function findCollection(sql: Queryable, slug: string): Promise<CollectionRow | null> {
  const [row] = await sql<CollectionRow[]>`
    select collection_id, slug, name, kind, verification_status, card_background_color, image_rendering_hint,
      preview_inscription_id, trading_enabled, royalty_script, seller_royalty_bps, buyer_royalty_bps
    from collections where slug = ${slug.toLowerCase()}`
  return row ?? null
}

/** Of these inscriptions, those that the collection holds. */
export async function listMembers(
  sql: Queryable,
  collectionId: string,
  inscriptionIds: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ inscriptionId: string }[]>`
    select inscription_id from collection_items
    where collection_id = ${collectionId} and inscription_id = any(${inscriptionIds as string[]}::text[])`
  return new Set(rows.map((row) => row.inscriptionId))
}

export interface ItemRow {
  inscriptionId: string
  sortKey: number
  itemName: string
  traits: { type: string; value: string }[]
  traitCounts: Record<string, number>
  collectionItemCount: number
  collections: string[]
  inscriptionNumber: number | null
  contentType: string | null
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
}

/** A page of a collection's items by sort key (index collection_items_order). */
export function listItems(
  sql: Queryable,
  page: { collectionId: string; newest: boolean; after: number | null; limit: number; now: Date },
): Promise<ItemRow[]> {
  const { collectionId, newest, after, limit, now } = page
  const order = newest ? sql`desc` : sql`asc`
  return sql<ItemRow[]>`
    with page as (
      select inscription_id, sort_key, item_name, traits from collection_items
      where collection_id = ${collectionId}
        ${after === null ? sql`` : newest ? sql`and sort_key < ${after}` : sql`and sort_key > ${after}`}
      order by sort_key ${order} limit ${limit}
    )
    select page.inscription_id, page.sort_key, page.item_name, page.traits,
      i.inscription_number, coalesce(d.content_type, i.content_type) as content_type, i.txid, i.vout, i.sat_offset,
      i.owner_script, l.listing_id, l.state as listing_state, l.price_sats, l.listed_at,
      l.expires_at as listing_expires_at,
      (select s.price_sats from sales s where s.inscription_id = page.inscription_id order by s.sale_id desc limit 1)
        as last_sale_sats,
      (select array_agg(c.slug order by c.slug) from collection_items m join collections c using (collection_id)
        where m.inscription_id = page.inscription_id) as collections,
      (select coalesce(jsonb_object_agg(t.trait_type || chr(31) || t.trait_value, t.item_count), '{}')
        from jsonb_to_recordset(page.traits) as x (type text, value text)
        join trait_counts t on t.collection_id = ${collectionId} and t.trait_type = x.type and t.trait_value = x.value)
        as trait_counts
    from page
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join listings l on l.inscription_id = page.inscription_id
      and l.state in ('buyable', 'hidden_locked', 'pending_public') and (l.expires_at is null or l.expires_at > ${now})
    order by page.sort_key ${order}`
}

export async function countItems(sql: Queryable, collectionId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from collection_items where collection_id = ${collectionId}`
  return row!.count
}

export interface FloorRow {
  slug: string
  floorSats: number | null
  listedCount: number
  ownerCount: number
  floorDayAgoSats: number | null
  floorWeekAgoSats: number | null
}

/**
 * Floors of collections: the lowest buyable price now, and what it was a day and a week ago by the order book of then
 * (a listing stood from its listing to its end).
 */
export function listFloors(sql: Queryable, slugs: readonly string[], now: Date): Promise<FloorRow[]> {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const floorAt = (at: Date) => sql`(
    select min(l.price_sats) from listings l join collection_items m using (inscription_id)
    where m.collection_id = c.collection_id and l.listed_at <= ${at} and (l.ended_at is null or l.ended_at > ${at})
      and (l.expires_at is null or l.expires_at > ${at}))`
  return sql<FloorRow[]>`
    select c.slug, book.floor_sats, coalesce(book.listed_count, 0) as listed_count,
      (select count(distinct i.owner_script) from collection_items m join inscriptions i using (inscription_id)
        where m.collection_id = c.collection_id) as owner_count,
      ${floorAt(ago(1))} as floor_day_ago_sats, ${floorAt(ago(7))} as floor_week_ago_sats
    from collections c
    left join lateral (
      select min(l.price_sats) as floor_sats, count(*) as listed_count
      from listings l join collection_items m using (inscription_id)
      where m.collection_id = c.collection_id and l.state = 'buyable' and (l.expires_at is null or l.expires_at > ${now})
    ) book on true
    where c.slug = any(${slugs as string[]}::text[])`
}

/** Gives seen items their place by sequence, or back the one from before they were seen. */
export async function updateSortKeys(
  tx: Transaction,
  changes: readonly { inscriptionId: string; sequence: number | null }[],
): Promise<void> {
  if (changes.length === 0) return
  await tx`
    update collection_items m set sort_key = coalesce(c.sequence, ${UNSEEN}::bigint + m.ordinal)
    from unnest(${changes.map((each) => each.inscriptionId)}::text[], ${changes.map((each) => each.sequence)}::bigint[])
      as c (inscription_id, sequence)
    where m.inscription_id = c.inscription_id`
}

/** Sort keys from here on are of items that the index has not seen: 2^52 + place in the file. */
export const UNSEEN = 2 ** 52

export interface NewCollection {
  slug: string
  name: string
  description: string | null
  previewInscriptionId: string | null
}

/** Makes or renews a collection; its id, its orders and its settings stay. */
export async function upsertCollection(
  tx: Transaction,
  collectionId: string,
  collection: NewCollection,
  now: Date,
): Promise<string> {
  const [row] = await tx<{ collectionId: string }[]>`
    insert into collections (collection_id, slug, name, description, verification_status, preview_inscription_id, imported_at)
    values (${collectionId}, ${collection.slug}, ${collection.name}, ${collection.description}, 'unverified',
      ${collection.previewInscriptionId}, ${now})
    on conflict (slug) do update set name = excluded.name, description = excluded.description,
      preview_inscription_id = excluded.preview_inscription_id, imported_at = excluded.imported_at
    returning collection_id`
  return row!.collectionId
}

/** Replaces a collection's items, in batches that keep memory and statements small. */
export async function replaceItems(
  tx: Transaction,
  collectionId: string,
  items: readonly { inscriptionId: string; name: string; traits: { type: string; value: string }[] }[],
): Promise<void> {
  await tx`delete from collection_items where collection_id = ${collectionId}`
  for (let at = 0; at < items.length; at += 5000) {
    const batch = items.slice(at, at + 5000)
    await tx`
      insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
      select ${collectionId}, x.inscription_id, ${at}::int + x.n::int - 1, coalesce(i.sequence, ${UNSEEN}::bigint + ${at}::int + x.n - 1),
        x.item_name, x.traits::jsonb
      from unnest(${batch.map((item) => item.inscriptionId)}::text[], ${batch.map((item) => item.name)}::text[],
        ${batch.map((item) => JSON.stringify(item.traits))}::text[]) with ordinality as x (inscription_id, item_name, traits, n)
      left join inscriptions i on i.inscription_id = x.inscription_id`
  }
  await tx`delete from trait_counts where collection_id = ${collectionId}`
  await tx`
    insert into trait_counts (collection_id, trait_type, trait_value, item_count)
    select collection_id, t.type, t.value, count(distinct inscription_id)
    from collection_items, jsonb_to_recordset(traits) as t (type text, value text)
    where collection_id = ${collectionId}
    group by 1, 2, 3`
}

/** False when there is no such collection. */
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
